//! The reader: from forms to clauses, distinguishing keywords, relations, functions and
//! variables.

use rustc_hash::FxHashMap;

use super::clause::{Clause, Condition, Formula, Spanned};
use super::workspace::Workspace;
use crate::diagnostic::{Code, Diagnostic, arguments, quote};
use crate::rules::{Atom, Keyword, Literal, MAX_PATTERN_DEPTH, Pattern, Var};
use crate::source::{Notation, Span};
use crate::syntax::Form;
use crate::term::Symbol;

/// A name with a fixed meaning, in upper or lower case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Implied,
    And,
    Or,
    Not,
    Distinct,
    Relation(Keyword),
}

const WORDS: [(&str, Word); 16] = [
    ("<=", Word::Implied),
    ("and", Word::And),
    ("or", Word::Or),
    ("not", Word::Not),
    ("distinct", Word::Distinct),
    ("role", Word::Relation(Keyword::Role)),
    ("init", Word::Relation(Keyword::Init)),
    ("true", Word::Relation(Keyword::True)),
    ("next", Word::Relation(Keyword::Next)),
    ("legal", Word::Relation(Keyword::Legal)),
    ("does", Word::Relation(Keyword::Does)),
    ("goal", Word::Relation(Keyword::Goal)),
    ("terminal", Word::Relation(Keyword::Terminal)),
    ("base", Word::Relation(Keyword::Base)),
    ("input", Word::Relation(Keyword::Input)),
    ("sees", Word::Relation(Keyword::Sees)),
];

/// Signs in the place of which `<=` may be meant.
const ARROWS: [&str; 6] = ["<-", "<==", "=<", "=>", "->", ":-"];

impl Word {
    fn of(name: &str) -> Option<Word> {
        let found = WORDS
            .iter()
            .find(|(word, _)| name.eq_ignore_ascii_case(word));
        found.map(|&(_, word)| word)
    }

    /// How it is written, for messages. `None` if it takes any number of arguments.
    fn usual_form(self) -> Option<&'static str> {
        Some(match self {
            Word::Implied | Word::And => return None,
            Word::Or => "(or condition...)",
            Word::Not => "(not condition)",
            Word::Distinct => "(distinct term term)",
            Word::Relation(keyword) => match keyword {
                Keyword::Role => "(role name)",
                Keyword::Init => "(init fluent)",
                Keyword::True => "(true fluent)",
                Keyword::Next => "(next fluent)",
                Keyword::Legal => "(legal role move)",
                Keyword::Does => "(does role move)",
                Keyword::Goal => "(goal role number)",
                Keyword::Terminal => "terminal",
                Keyword::Base => "(base fluent)",
                Keyword::Input => "(input role move)",
                Keyword::Sees => "(sees role percept)",
            },
        })
    }
}

/// The keyword of a statement about `base` or `input`.
pub(crate) fn declaration(statement: Form<'_>) -> Option<Keyword> {
    let mut items = statement.items();
    let head = match items.next().and_then(|first| first.name()) {
        Some("<=") => items.next(),
        _ => Some(statement),
    };
    let leading = head.map(|head| head.items().next().unwrap_or(head))?;
    match Word::of(leading.name()?)? {
        Word::Relation(keyword) => Some(keyword).filter(|keyword| keyword.is_declaration()),
        _ => None,
    }
}

fn is_variable(name: &str) -> bool {
    name.starts_with('?')
}

/// The keywords that have rules, as a set of bits.
#[derive(Clone, Copy, Default)]
pub(crate) struct Heads(u32);

impl Heads {
    fn insert(&mut self, keyword: Keyword) {
        self.0 |= 1 << keyword as u32;
    }

    pub(crate) fn contains(self, keyword: Keyword) -> bool {
        self.0 & 1 << keyword as u32 != 0
    }
}

/// The reader of a rulesheet's forms.
pub(crate) struct Reader {
    pub(crate) workspace: Workspace,
    /// The keywords that occur in heads, including those of erroneous rules.
    pub(crate) heads: Heads,
    /// The conditions on keywords that should be in heads only.
    pub(crate) misplaced: Vec<(Keyword, Span)>,
    /// The variables of the clause that is being read.
    variables: Vec<Symbol>,
    numbers: FxHashMap<Symbol, Var>,
    relation_arities: Arities,
    function_arities: Arities,
    /// The uses of declarations with other numbers of arguments that were reported.
    unusual: Vec<(Keyword, usize)>,
}

/// The first use of every name, and the other arities it was reported for.
#[derive(Default)]
struct Arities(FxHashMap<Symbol, FirstUse>);

struct FirstUse {
    arity: usize,
    span: Span,
    reported: Vec<usize>,
}

impl Arities {
    /// Records a use. Returns the first use if it has another arity that is not reported yet.
    fn clash(&mut self, name: Symbol, arity: usize, span: Span) -> Option<&FirstUse> {
        let first = self.0.entry(name).or_insert(FirstUse {
            arity,
            span,
            reported: Vec::new(),
        });
        // A name with hundreds of arities has been reported often enough.
        let new =
            arity != first.arity && first.reported.len() < 10 && !first.reported.contains(&arity);
        new.then(|| {
            first.reported.push(arity);
            &*first
        })
    }
}

impl Reader {
    pub(crate) fn new(workspace: Workspace) -> Reader {
        Reader {
            workspace,
            heads: Heads::default(),
            misplaced: Vec::new(),
            variables: Vec::new(),
            numbers: FxHashMap::default(),
            relation_arities: Arities::default(),
            function_arities: Arities::default(),
            unusual: Vec::new(),
        }
    }

    /// The clause of a top-level form. `None` if it is erroneous or ignored.
    pub(crate) fn clause(&mut self, form: Form<'_>) -> Option<Clause<Formula>> {
        if let Some(deep) = form.nested_beyond(MAX_PATTERN_DEPTH) {
            let message = format!("lists are nested more than {MAX_PATTERN_DEPTH} levels deep");
            self.report(
                Diagnostic::error(Code::NestedTooDeeply, message)
                    .at(start_of(deep.span()), "this list is too deep")
                    .also(start_of(form.span()), "in the form that starts here")
                    .help("check the parentheses, or move parts of it to separate rules"),
            );
            return None;
        }
        self.variables.clear();
        self.numbers.clear();
        let (head, body) = self.statement(form)?;
        Some(Clause {
            head,
            body,
            variables: self.variables.as_slice().into(),
            span: form.span(),
        })
    }

    fn statement(&mut self, form: Form<'_>) -> Option<(Spanned<Atom>, Vec<Formula>)> {
        let mut items = form.items();
        let first = items.next().and_then(|first| first.name());
        if let Some(name) = first.or(form.name())
            && name.eq_ignore_ascii_case("#include")
        {
            self.report(
                Diagnostic::error(Code::Include, "`#include` is not part of the language")
                    .at(form.span(), "the other file is not read")
                    .help("merge both files: `cat a.kif b.kif > game.kif`"),
            );
            return None;
        }
        if let Some(arrow) = first.filter(|name| ARROWS.contains(name)) {
            let message = format!("{} is not the sign of a rule", quote(arrow));
            self.report(
                Diagnostic::warning(Code::NearMiss, message)
                    .at(form.span(), "this is read as a fact")
                    .help("write `(<= head condition...)`"),
            );
        }
        let is_rule = first == Some("<=");
        let head = if is_rule { items.next() } else { Some(form) };
        let Some(head) = head else {
            self.report(
                Diagnostic::error(Code::KeywordArity, "a rule without a head")
                    .at(form.span(), "nothing follows `<=`")
                    .help("write `(<= head condition...)`"),
            );
            return None;
        };
        if form.name() == Some("<=") {
            self.report(
                Diagnostic::error(Code::MisplacedKeyword, "`<=` outside parentheses")
                    .at(form.span(), "a rule is a list that starts with this")
                    .help("write `(<= head condition...)`"),
            );
            return None;
        }
        let head = self.head(head);
        let conditions = items.filter(|_| is_rule);
        let body: Vec<_> = conditions.map(|item| self.formula(item, false)).collect();
        Some((head?, body.into_iter().collect::<Option<_>>()?))
    }

    fn head(&mut self, form: Form<'_>) -> Option<Spanned<Atom>> {
        let (name, word) = self.leading_name(form)?;
        match word {
            None => {}
            Some(Word::Relation(keyword @ (Keyword::True | Keyword::Does))) => {
                let instead = match keyword {
                    Keyword::True => "the state follows from `init` and `next`",
                    _ => "moves are chosen by the players",
                };
                let message = format!("no rule can define `{}`", keyword.name());
                self.report(
                    Diagnostic::error(Code::MisplacedKeyword, message)
                        .at(form.span(), instead)
                        .help("choose another name if this is a relation of your own"),
                );
                return None;
            }
            Some(Word::Relation(keyword)) => self.heads.insert(keyword),
            Some(_) => return self.misplaced(form, name, "cannot be the head of a rule"),
        }
        let value = self.atom(form, name, word)?;
        let span = form.span();
        Some(Spanned { value, span })
    }

    /// A body's form in negation normal form.
    fn formula(&mut self, form: Form<'_>, negated: bool) -> Option<Formula> {
        let (name, word) = self.leading_name(form)?;
        let span = form.span();
        let condition = |value| Some(Formula::Condition(Spanned { value, span }));
        match word {
            Some(Word::And | Word::Or) => {
                let items = form.items().skip(1);
                let parts: Vec<_> = items.map(|item| self.formula(item, negated)).collect();
                if parts.is_empty() {
                    return self.wrong_arity(form, name, "at least 1");
                }
                let value = parts.into_iter().collect::<Option<Vec<_>>>()?;
                // De Morgan: under `not`, `and` and `or` change places.
                Some(if (word == Some(Word::And)) != negated {
                    Formula::All(value)
                } else {
                    Formula::Any(Spanned { value, span })
                })
            }
            Some(Word::Not) => {
                let mut items = form.items().skip(1);
                let (Some(item), None) = (items.next(), items.next()) else {
                    return self.wrong_arity(form, name, "1");
                };
                self.formula(item, !negated)
            }
            Some(Word::Distinct) => {
                let items = form.items().skip(1);
                let terms: Vec<_> = items.map(|item| self.pattern(item)).collect();
                let Ok([a, b]) = <[_; 2]>::try_from(terms) else {
                    return self.wrong_arity(form, name, "2");
                };
                condition(match negated {
                    true => Condition::Equal(a?, b?),
                    false => Condition::Literal(Literal::Distinct(a?, b?)),
                })
            }
            Some(Word::Implied) => self.misplaced(form, name, "cannot stand inside a rule"),
            None | Some(Word::Relation(_)) => {
                if let Some(Word::Relation(keyword)) = word
                    && keyword.is_of_heads()
                {
                    self.misplaced.push((keyword, span));
                }
                let atom = self.atom(form, name, word)?;
                condition(Condition::Literal(match negated {
                    true => Literal::Negative(atom),
                    false => Literal::Positive(atom),
                }))
            }
        }
    }

    /// The name of the relation or connective that a form applies.
    fn leading_name<'f>(&mut self, form: Form<'f>) -> Option<(&'f str, Option<Word>)> {
        let leading = match form.name() {
            Some(_) => form,
            None => self.first_item(form)?,
        };
        let name = self.constant_name(leading)?;
        Some((name, Word::of(name)))
    }

    fn first_item<'f>(&mut self, list: Form<'f>) -> Option<Form<'f>> {
        let first = list.items().next();
        if first.is_none() {
            self.report(
                Diagnostic::error(Code::EmptyList, "an empty list has no meaning")
                    .at(list.span(), "nothing between the parentheses")
                    .help("remove it, or add what is missing"),
            );
        }
        first
    }

    /// The name of a relation or function.
    fn constant_name<'f>(&mut self, form: Form<'f>) -> Option<&'f str> {
        let (message, remark) = match form.name() {
            Some(name) if !is_variable(name) => return Some(name),
            Some(name) => (
                format!("the variable {} where a name is expected", quote(name)),
                "a variable stands for a term, never for a relation or function",
            ),
            None => (
                "a list where a name is expected".to_string(),
                "the first item of a list is the name of a relation or function",
            ),
        };
        let diagnostic = Diagnostic::error(Code::NotAName, message).at(form.span(), remark);
        let is_infix = self.workspace.diagnostics.source().notation() == Notation::Infix;
        self.report(match form.name() {
            Some(_) if is_infix => {
                diagnostic.help("names start with a small letter; put others in quotation marks")
            }
            Some(_) => diagnostic,
            None => diagnostic.help("remove a pair of parentheses, or write the missing name"),
        });
        None
    }

    fn atom(&mut self, form: Form<'_>, name: &str, word: Option<Word>) -> Option<Atom> {
        let args = form.items().skip(1);
        let is_percept = |number: usize| number == 1 && word == Some(Word::Relation(Keyword::Sees));
        let args = args.enumerate();
        let args: Vec<_> = args
            .map(|(number, item)| self.pattern_of(item, is_percept(number)))
            .collect();
        let arity = args.len();
        let symbol = match word {
            Some(Word::Relation(keyword)) => {
                if arity != keyword.arity() {
                    if !keyword.is_declaration() {
                        return self.wrong_arity(form, name, &keyword.arity().to_string());
                    }
                    self.unusual_declaration(form, keyword, arity);
                }
                self.workspace.terms.symbol(keyword.name())
            }
            _ => {
                let symbol = self.workspace.terms.symbol(name);
                if let Some(first) = self.relation_arities.clash(symbol, arity, form.span()) {
                    let clash = clash("relation", name, arity, form.span(), first);
                    self.report(clash);
                }
                symbol
            }
        };
        Some(Atom {
            relation: self.workspace.relations.id(symbol, arity),
            args: args.into_iter().collect::<Option<_>>()?,
        })
    }

    /// A term. The recursion is not deeper than the form, whose depth is checked.
    fn pattern(&mut self, form: Form<'_>) -> Option<Pattern> {
        self.pattern_of(form, false)
    }

    /// A term, which may be a percept. That a role sees `(does ?r ?m)` is usual.
    fn pattern_of(&mut self, form: Form<'_>, is_percept: bool) -> Option<Pattern> {
        let leading = match form.name() {
            Some(name) if is_variable(name) => return Some(Pattern::Var(self.variable(name))),
            Some(_) => form,
            None => self.first_item(form)?,
        };
        let name = self.constant_name(leading)?;
        match Word::of(name) {
            Some(Word::Implied) => {
                return self.misplaced(form, name, "cannot stand inside a rule");
            }
            Some(_) if form.name().is_none() && !is_percept => self.report(
                Diagnostic::warning(
                    Code::MisplacedKeyword,
                    format!("the keyword {} is used as a function", quote(name)),
                )
                .at(form.span(), "a term here, without the keyword's meaning")
                .help("if it is a condition, move it out of the other relation; if it is a function, choose another name"),
            ),
            _ => {}
        }
        let functor = self.workspace.terms.symbol(name);
        let args = form.items().skip(1);
        let args: Vec<_> = args.map(|item| self.pattern(item)).collect();
        let args = args.into_iter().collect::<Option<Vec<_>>>()?;
        if args.is_empty() && form.name().is_none() {
            self.workspace.terms.spell_as_list(functor);
        }
        if !args.is_empty()
            && let Some(first) = self
                .function_arities
                .clash(functor, args.len(), form.span())
        {
            let clash = clash("function", name, args.len(), form.span(), first);
            self.report(clash);
        }
        Some(Pattern::apply(&mut self.workspace.terms, functor, args))
    }

    fn variable(&mut self, name: &str) -> Var {
        let symbol = self.workspace.terms.symbol(name);
        let next = Var(self.variables.len() as u32);
        *self.numbers.entry(symbol).or_insert_with(|| {
            self.variables.push(symbol);
            next
        })
    }

    fn wrong_arity<T>(&mut self, form: Form<'_>, name: &str, takes: &str) -> Option<T> {
        let given = form.items().count().saturating_sub(1);
        let s = if takes.ends_with('1') { "" } else { "s" };
        let remark = match given {
            0 => "none given".to_string(),
            n => format!("{n} given"),
        };
        let diagnostic = Diagnostic::error(
            Code::KeywordArity,
            format!("{} takes {takes} argument{s}", quote(name)),
        )
        .at(form.span(), remark);
        let usual = Word::of(name).and_then(Word::usual_form);
        self.report(match (regrouped(form), usual) {
            (Some(meant), _) => diagnostic.help(format!("did you mean {}?", quote(&meant))),
            (None, Some(form)) => diagnostic.help(format!("write {}", quote(form))),
            (None, None) => diagnostic,
        });
        None
    }

    /// Warns of a relation that has the name of a declaration, but not its arguments.
    fn unusual_declaration(&mut self, form: Form<'_>, keyword: Keyword, arity: usize) {
        if self.unusual.contains(&(keyword, arity)) {
            return;
        }
        self.unusual.push((keyword, arity));
        let (name, given, usual) = (keyword.name(), arguments(arity), arguments(keyword.arity()));
        let warning = Diagnostic::warning(
            Code::UnusualDeclaration,
            format!("`{name}` with {given} is a relation like any other"),
        )
        .at(form.span(), given)
        .help(format!(
            "by convention, `{name}` has {usual}; players that rely on it will not understand this"
        ));
        self.report(warning);
    }

    fn misplaced<T>(&mut self, form: Form<'_>, name: &str, problem: &str) -> Option<T> {
        let diagnostic =
            Diagnostic::error(Code::MisplacedKeyword, format!("{} {problem}", quote(name)));
        self.report(match Word::of(name) {
            Some(Word::Implied) => diagnostic
                .at(start_of(form.span()), "a rule starts here")
                .help("a `)` may be missing before it"),
            _ => diagnostic.at(form.span(), "a connective, not a relation"),
        });
        None
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.workspace.diagnostics.push(diagnostic);
    }
}

fn clash(kind: &str, name: &str, arity: usize, span: Span, first: &FirstUse) -> Diagnostic {
    Diagnostic::warning(
        Code::ArityClash,
        format!(
            "the {kind} {} has {} here and {} elsewhere",
            quote(name),
            arguments(arity),
            arguments(first.arity)
        ),
    )
    .at(span, arguments(arity))
    .also(
        first.span,
        format!("{} at its first use", arguments(first.arity)),
    )
    .help("these are different despite the same name: check for a missing argument")
}

/// A keyword or `not` with too many arguments, as `(true cell 1 x)`, with parentheses around those that may belong
/// together.
fn regrouped(form: Form<'_>) -> Option<String> {
    let name = form.items().next()?.name()?;
    let before = match Word::of(name)? {
        Word::Not => 0,
        Word::Relation(Keyword::Role | Keyword::Goal | Keyword::Terminal) => return None,
        Word::Relation(keyword) => keyword.arity() - 1,
        _ => return None,
    };
    let mut items = form.items().skip(1 + before).peekable();
    let is_name = |first: &Form<'_>| first.name().is_some_and(|name| !is_variable(name));
    let is_group = items.peek().is_some_and(is_name) && items.clone().nth(1).is_some();
    let text = |items: &mut dyn Iterator<Item = Form<'_>>| {
        let texts: Vec<String> = items.map(|item| item.to_string()).collect();
        texts.join(" ")
    };
    is_group.then(|| {
        let own = text(&mut form.items().take(1 + before));
        format!("({own} ({}))", text(&mut items))
    })
}

/// The opening parenthesis of a list.
fn start_of(span: Span) -> Span {
    Span {
        start: span.start,
        end: span.start + 1,
    }
}
