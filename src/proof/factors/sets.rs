//! Disjoint sets of numbers (union-find).

/// Numbers in disjoint sets (union-find).
#[derive(Clone, Debug)]
pub(super) struct Sets(Vec<usize>);

impl Sets {
    /// Each of the first `count` numbers in a set of its own.
    pub(super) fn new(count: usize) -> Sets {
        Sets((0..count).collect())
    }

    /// The least number of the set of a number.
    pub(super) fn find(&mut self, mut at: usize) -> usize {
        while self.0[at] != at {
            self.0[at] = self.0[self.0[at]];
            at = self.0[at];
        }
        at
    }

    /// Unites the sets of two numbers. Whether these were different.
    pub(super) fn unite(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b)] = a.min(b);
        a != b
    }

    /// The sets, each ascending, in the order of their least numbers; and by number, its set.
    pub(super) fn groups(&mut self) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut group_of = Vec::with_capacity(self.0.len());
        for at in 0..self.0.len() {
            let root = self.find(at);
            let group = match root == at {
                true => {
                    groups.push(Vec::new());
                    groups.len() - 1
                }
                false => group_of[root],
            };
            groups[group].push(at);
            group_of.push(group);
        }
        (groups, group_of)
    }
}
