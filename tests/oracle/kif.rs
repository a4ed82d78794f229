//! KIF in prefix notation: names and lists of them.

/// A name, or a list of forms.
pub(super) enum Form {
    Name(String),
    List(Vec<Form>),
}

impl Form {
    /// What a list holds; `p` and `(p)` are the same.
    pub(super) fn items(&self) -> &[Form] {
        match self {
            Form::Name(_) => std::slice::from_ref(self),
            Form::List(items) => items,
        }
    }

    /// The name that a form starts with.
    pub(super) fn name(&self) -> &str {
        match &self.items()[0] {
            Form::Name(name) => name,
            Form::List(_) => panic!("a list starts with a name"),
        }
    }
}

/// The forms of a text.
pub(super) fn read(text: &str) -> Vec<Form> {
    let lines = text.split(['\n', '\r']);
    let code = lines.map(|line| line.split(';').next().unwrap_or_default());
    let code = code.collect::<Vec<_>>().join("\n");
    let spaced = code.replace('(', " ( ").replace(')', " ) ");
    let mut open = vec![Vec::new()];
    for token in spaced.split_whitespace() {
        let form = match token {
            "(" => {
                open.push(Vec::new());
                continue;
            }
            ")" => Form::List(open.pop().expect("there is a list around")),
            name => Form::Name(name.trim_matches('\u{feff}').to_string()),
        };
        open.last_mut().expect("a list is open").push(form);
    }
    assert_eq!(open.len(), 1, "all lists are closed");
    open.remove(0)
}
