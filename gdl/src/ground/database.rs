//! The facts found so far: tables of ground atoms, and views of them for joins.
//!
//! A [`Table`] holds the ground atoms of one relation, each once, in columns of
//! [`TermId`]. Rule bodies do not read tables but [`View`]s: a view shows the
//! facts that have a certain nesting, such as `(true (cell _ _ _))`, with one
//! column for each blank, so that joins see flat columns whatever the nesting.
//! A fact enters the views of its relation when it is *processed*, which is some
//! time after it was found: joins see exactly the facts processed so far.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::rules::{Pattern, RelationId};
use crate::term::{Symbol, TermId, Terms};

/// A set of ground terms.
pub(crate) type Values = FxHashSet<TermId>;

/// The number of a ground atom, across all relations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct AtomId(pub u32);

impl AtomId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of a view in [`Database::views`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ViewId(pub u32);

/// What the atoms of a relation depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dependence {
    /// Neither the state nor the moves.
    Static,
    /// What rules [demand](super::demand): their atoms restrict instances of rules and are no conditions of them.
    Demand,
    /// The state or the moves.
    Dynamic,
}

/// The ground atoms of one relation.
#[derive(Clone)]
struct Table {
    arity: usize,
    dependence: Dependence,
    /// Whether no more facts will be found.
    is_complete: bool,
    /// Row by row; atoms that are only mentioned under `not` have rows too.
    columns: Vec<TermId>,
    atoms: Vec<AtomId>,
    rows: HashTable<u32>,
    views: Vec<ViewId>,
}

/// A node of a shape. A shape is the tree of the functors of an atom's arguments, in
/// prefix order; a blank stands for any term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum ShapeNode {
    Blank,
    Functor(Symbol, u32),
}

/// The facts of a relation that have a certain shape, flattened.
#[derive(Clone)]
pub(crate) struct View {
    shape: Vec<ShapeNode>,
    /// Whether every argument is a blank.
    is_flat: bool,
    /// The number of columns: blanks of the shape.
    pub width: usize,
    pub columns: Vec<TermId>,
    /// The atom that each row comes from.
    pub atoms: Vec<AtomId>,
    indexes: Vec<Index>,
    /// For each column the values when they were last collected, after the number of rows at that time.
    distinct: Vec<(usize, Rc<Values>)>,
}

/// Rows of a view by the value of some of its columns.
#[derive(Clone)]
struct Index {
    key: Box<[usize]>,
    /// The newest row with each key.
    newest: HashTable<u32>,
    /// The next older row with the same key as each row, or `NO_ROW`.
    older: Vec<u32>,
}

const NO_ROW: u32 = u32::MAX;

/// The rows that a join step reads: those that agree with a key, or all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Access {
    All,
    Index(u32),
}

/// All tables and views.
#[derive(Clone)]
pub(crate) struct Database {
    tables: Vec<Table>,
    pub views: Vec<View>,
    view_of_shape: FxHashMap<(RelationId, Vec<ShapeNode>), ViewId>,
    /// Relation and row of each atom.
    atoms: Vec<(RelationId, u32)>,
    /// Whether each atom was derived, not only mentioned.
    derived: Vec<bool>,
    scratch: Vec<TermId>,
}

fn hash_terms(terms: impl Iterator<Item = TermId>) -> u64 {
    let mut hasher = FxHasher::default();
    terms.for_each(|term| term.hash(&mut hasher));
    hasher.finish()
}

impl Table {
    fn row(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.arity;
        &self.columns[start..start + self.arity]
    }

    fn find(&self, args: &[TermId]) -> Option<u32> {
        let hash = hash_terms(args.iter().copied());
        let found = self.rows.find(hash, |&row| self.row(row) == args);
        found.copied()
    }
}

impl View {
    pub(super) fn len(&self) -> usize {
        self.atoms.len()
    }

    pub(super) fn row(&self, row: u32) -> &[TermId] {
        let start = row as usize * self.width;
        &self.columns[start..start + self.width]
    }

    /// The number of an index on these columns, made and filled if it is new.
    pub(super) fn index_on(&mut self, key: &[usize]) -> u32 {
        if let Some(at) = self.indexes.iter().position(|index| *index.key == *key) {
            return at as u32;
        }
        let mut index = Index {
            key: key.into(),
            newest: HashTable::new(),
            older: Vec::new(),
        };
        for row in 0..self.len() as u32 {
            index.insert(row, &self.columns, self.width);
        }
        self.indexes.push(index);
        self.indexes.len() as u32 - 1
    }

    /// The newest row that `access` reads; `key` holds the values of the index's columns.
    pub(super) fn first(&self, access: Access, key: &[TermId]) -> Option<u32> {
        match access {
            Access::All => (self.len() as u32).checked_sub(1),
            Access::Index(index) => {
                let index = &self.indexes[index as usize];
                let found = index.newest.find(hash_terms(key.iter().copied()), |&row| {
                    let row = self.row(row);
                    index
                        .key
                        .iter()
                        .zip(key)
                        .all(|(&c, &value)| row[c] == value)
                });
                found.copied()
            }
        }
    }

    /// The next older row after `row`.
    pub(super) fn after(&self, access: Access, row: u32) -> Option<u32> {
        match access {
            Access::All => row.checked_sub(1),
            Access::Index(index) => {
                let older = self.indexes[index as usize].older[row as usize];
                (older != NO_ROW).then_some(older)
            }
        }
    }

    /// The values in a column.
    pub(super) fn values(&mut self, column: usize) -> Rc<Values> {
        let rows = self.len();
        let (counted, known) = &self.distinct[column];
        if *counted == rows {
            return known.clone();
        }
        let values = (0..rows).map(|row| self.columns[row * self.width + column]);
        let values: Rc<Values> = Rc::new(values.collect());
        self.distinct[column] = (rows, values.clone());
        values
    }

    /// The number of different values in a column.
    pub(super) fn distinct_values(&mut self, column: usize) -> usize {
        self.values(column).len()
    }

    /// An upper bound of the number of different rows in these columns.
    pub(super) fn distinct_rows(&mut self, columns: &[usize]) -> usize {
        match *columns {
            [] => self.len().min(1),
            [column] => self.distinct_values(column),
            _ if columns.len() == self.width => self.len(),
            _ => {
                let rows = (0..self.len() as u32).map(|row| self.row(row));
                let keys = rows.map(|row| columns.iter().map(|&c| row[c]).collect());
                keys.collect::<FxHashSet<smallvec::SmallVec<[TermId; 4]>>>()
                    .len()
            }
        }
    }

    /// Appends the row if `args` have the view's shape.
    fn insert(&mut self, atom: AtomId, args: &[TermId], terms: &Terms) {
        let start = self.columns.len();
        if self.is_flat {
            self.columns.extend_from_slice(args);
        } else if !flatten(&self.shape, args, terms, &mut self.columns) {
            self.columns.truncate(start);
            return;
        }
        let row = self.atoms.len() as u32;
        self.atoms.push(atom);
        for index in &mut self.indexes {
            index.insert(row, &self.columns, self.width);
        }
    }
}

impl Index {
    fn insert(&mut self, row: u32, columns: &[TermId], width: usize) {
        let key = &self.key;
        let value = |row: u32, c: usize| columns[row as usize * width + c];
        let hash = |row: u32| hash_terms(key.iter().map(|&c| value(row, c)));
        let same = |&other: &u32| key.iter().all(|&c| value(row, c) == value(other, c));
        let entry = self.newest.entry(hash(row), same, |&other| hash(other));
        let older = match entry {
            hashbrown::hash_table::Entry::Occupied(mut newest) => {
                std::mem::replace(newest.get_mut(), row)
            }
            hashbrown::hash_table::Entry::Vacant(slot) => {
                slot.insert(row);
                NO_ROW
            }
        };
        self.older.push(older);
    }
}

/// Appends to `out` the terms at the blanks of `shape`; false if `args` have another shape.
fn flatten(shape: &[ShapeNode], args: &[TermId], terms: &Terms, out: &mut Vec<TermId>) -> bool {
    // Terms still to be matched, the next on top.
    let mut pending: Vec<TermId> = args.iter().rev().copied().collect();
    for node in shape {
        let Some(term) = pending.pop() else {
            return false;
        };
        match *node {
            ShapeNode::Blank => out.push(term),
            ShapeNode::Functor(functor, arity) => {
                let inner = terms.args(term);
                if terms.functor(term) != functor || inner.len() != arity as usize {
                    return false;
                }
                pending.extend(inner.iter().rev());
            }
        }
    }
    true
}

/// The shape of patterns; variables and ground terms are blanks, which are
/// appended to `blanks`.
pub(crate) fn shape_of(args: &[Pattern], blanks: &mut Vec<Pattern>) -> Vec<ShapeNode> {
    let mut shape = Vec::new();
    let mut pending: Vec<&Pattern> = args.iter().rev().collect();
    while let Some(pattern) = pending.pop() {
        match pattern {
            Pattern::Compound(functor, inner) => {
                shape.push(ShapeNode::Functor(*functor, inner.len() as u32));
                pending.extend(inner.iter().rev());
            }
            leaf => {
                shape.push(ShapeNode::Blank);
                blanks.push(leaf.clone());
            }
        }
    }
    shape
}

impl Database {
    /// A database without relations.
    pub(super) fn new() -> Database {
        Database {
            tables: Vec::new(),
            views: Vec::new(),
            view_of_shape: FxHashMap::default(),
            atoms: Vec::new(),
            derived: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// The number of a new relation without facts.
    pub(super) fn add_relation(&mut self, arity: usize, dependence: Dependence) -> RelationId {
        self.tables.push(Table {
            arity,
            dependence,
            is_complete: false,
            columns: Vec::new(),
            atoms: Vec::new(),
            rows: HashTable::new(),
            views: Vec::new(),
        });
        RelationId(self.tables.len() as u32 - 1)
    }

    /// The number of relations.
    pub(super) fn relations(&self) -> usize {
        self.tables.len()
    }

    /// What the atoms of a relation depend on.
    pub(super) fn dependence(&self, relation: RelationId) -> Dependence {
        self.tables[relation.index()].dependence
    }

    /// Whether no more facts of a relation will be found.
    pub(super) fn is_complete(&self, relation: RelationId) -> bool {
        self.tables[relation.index()].is_complete
    }

    /// No more facts of this relation will be found.
    pub(super) fn complete(&mut self, relation: RelationId) {
        self.tables[relation.index()].is_complete = true;
    }

    /// The view of a relation's facts with this shape; new views start with
    /// the facts that `processed` accepts.
    pub(super) fn view(
        &mut self,
        relation: RelationId,
        shape: Vec<ShapeNode>,
        terms: &Terms,
        processed: impl Fn(AtomId) -> bool,
    ) -> ViewId {
        let key = (relation, shape);
        if let Some(&known) = self.view_of_shape.get(&key) {
            return known;
        }
        let id = ViewId(self.views.len() as u32);
        let shape = key.1.clone();
        let table = &mut self.tables[relation.index()];
        let width = shape
            .iter()
            .filter(|&node| *node == ShapeNode::Blank)
            .count();
        let mut view = View {
            is_flat: shape.iter().all(|node| *node == ShapeNode::Blank),
            width,
            shape,
            columns: Vec::new(),
            atoms: Vec::new(),
            indexes: Vec::new(),
            distinct: vec![(0, Rc::default()); width],
        };
        for (row, &atom) in table.atoms.iter().enumerate() {
            if processed(atom) {
                view.insert(atom, table.row(row as u32), terms);
            }
        }
        table.views.push(id);
        self.views.push(view);
        self.view_of_shape.insert(key, id);
        id
    }

    /// The number of a ground atom, entered if it is new.
    pub(super) fn atom(&mut self, relation: RelationId, args: &[TermId]) -> AtomId {
        let table = &mut self.tables[relation.index()];
        if let Some(row) = table.find(args) {
            return table.atoms[row as usize];
        }
        let row = table.atoms.len() as u32;
        let atom = AtomId(u32::try_from(self.atoms.len()).expect("fewer than 2^32 atoms"));
        table.columns.extend_from_slice(args);
        table.atoms.push(atom);
        let (columns, arity) = (&table.columns, table.arity);
        let hash = |row: u32| {
            let start = row as usize * arity;
            hash_terms(columns[start..start + arity].iter().copied())
        };
        table
            .rows
            .insert_unique(hash(row), row, |&other| hash(other));
        self.atoms.push((relation, row));
        self.derived.push(false);
        atom
    }

    /// The number of a ground atom if it was ever entered.
    pub(super) fn find(&self, relation: RelationId, args: &[TermId]) -> Option<AtomId> {
        let table = &self.tables[relation.index()];
        let row = table.find(args)?;
        Some(table.atoms[row as usize])
    }

    /// Marks an atom as derived; true if it was not before.
    pub(super) fn derive(&mut self, atom: AtomId) -> bool {
        !std::mem::replace(&mut self.derived[atom.index()], true)
    }

    /// Whether an atom was derived.
    pub(super) fn is_derived(&self, atom: AtomId) -> bool {
        self.derived[atom.index()]
    }

    /// Shows a derived atom in the views of its relation; calls `seen` with
    /// each view that shows it and its row there.
    pub(super) fn process(&mut self, atom: AtomId, terms: &Terms, seen: &mut Vec<(ViewId, u32)>) {
        let (relation, row) = self.atoms[atom.index()];
        let table = &self.tables[relation.index()];
        self.scratch.clear();
        self.scratch.extend_from_slice(table.row(row));
        for &view_id in &table.views {
            let view = &mut self.views[view_id.0 as usize];
            let before = view.len();
            view.insert(atom, &self.scratch, terms);
            if view.len() > before {
                seen.push((view_id, before as u32));
            }
        }
    }

    /// The number of atoms.
    pub(super) fn len(&self) -> usize {
        self.atoms.len()
    }

    /// A rough estimate of the memory that the tables and views take, in bytes.
    pub(super) fn bytes(&self) -> usize {
        const PER_ROW: usize = 4 + 5;
        let tables = self.tables.iter();
        let tables: usize = tables
            .map(|table| 4 * table.columns.capacity() + PER_ROW * table.atoms.capacity())
            .sum();
        let views = self.views.iter();
        let views: usize = views
            .map(|view| {
                let indexes = PER_ROW * view.indexes.len();
                4 * view.columns.capacity() + (4 + indexes) * view.atoms.capacity()
            })
            .sum();
        tables + views + PER_ROW * self.atoms.capacity()
    }

    /// The relation of an atom.
    pub(super) fn relation(&self, atom: AtomId) -> RelationId {
        self.atoms[atom.index()].0
    }

    /// The arguments of an atom.
    pub(super) fn args(&self, atom: AtomId) -> &[TermId] {
        let (relation, row) = self.atoms[atom.index()];
        self.tables[relation.index()].row(row)
    }

    /// The derived atoms of a relation in the order of discovery.
    pub(super) fn facts(&self, relation: RelationId) -> impl Iterator<Item = AtomId> + '_ {
        let atoms = self.tables[relation.index()].atoms.iter().copied();
        atoms.filter(|&atom| self.is_derived(atom))
    }
}
