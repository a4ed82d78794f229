//! Register allocation of the assemblers: the contents of vector registers, and when each is
//! read next.
//!
//! When a register is needed, the value with the latest next read is evicted (Belady, "A study of
//! replacement algorithms for a virtual-storage computer", 1966), which is optimal here because
//! all reads are known.

use rustc_hash::FxHashMap;

use crate::code::routine::{Access, Operand};

/// The number of a vector register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Register(pub u8);

/// The operand of a machine instruction that may be in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    Register(Register),
    /// At this offset in bytes.
    Memory(i32),
}

/// The contents that a register may hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Item {
    /// A value of the routine.
    Value(u32),
    /// The contents of a row.
    Row(u32),
}

impl From<Operand> for Item {
    fn from(operand: Operand) -> Item {
        match operand {
            Operand::Value(value) => Item::Value(value),
            Operand::Row(row) => Item::Row(row),
        }
    }
}

/// The location of a value in memory.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    None,
    /// In a row, because the routine has stored it there.
    Row(u32),
    /// In this spill slot.
    Spilled(u32),
}

/// A register that was made free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freed {
    pub register: Register,
    /// The spill slot that its contents have to be written to before it is overwritten.
    pub spill: Option<u32>,
}

/// Not read any more.
const NEVER: u32 = u32::MAX;

/// The items that an instruction reads or makes, each with the number of the instruction that reads
/// it next.
type Readings = [(Option<Item>, u32); 4];

/// The state of the registers in the course of a routine.
#[derive(Debug)]
pub(super) struct Registers {
    contents: Vec<Option<Item>>,
    /// Registers that the current instruction uses.
    pinned: Vec<bool>,
    /// Registers that hold no items.
    reserved: Vec<bool>,
    places: FxHashMap<Item, Register>,
    homes: Vec<Home>,
    free_slots: Vec<u32>,
    slots: u32,
    /// By instruction.
    next: Vec<Readings>,
    /// The next read of each item that is in a register or may return to one.
    reading: FxHashMap<Item, u32>,
    now: usize,
}

impl Registers {
    /// The given number of registers, before the first of these instructions, which make values
    /// below `values`.
    pub(super) fn new(
        registers: usize,
        values: u32,
        instructions: impl DoubleEndedIterator<Item = Access>,
    ) -> Registers {
        Registers {
            contents: vec![None; registers],
            pinned: vec![false; registers],
            reserved: vec![false; registers],
            places: FxHashMap::default(),
            homes: vec![Home::None; values as usize],
            free_slots: Vec::new(),
            slots: 0,
            next: next_readings(instructions),
            reading: FxHashMap::default(),
            now: 0,
        }
    }

    /// Returns the number of spill slots used.
    pub(super) fn spills(&self) -> u32 {
        self.slots
    }

    /// The register that holds the item.
    pub(super) fn find(&self, item: Item) -> Option<Register> {
        self.places.get(&item).copied()
    }

    /// Returns the location of the item in memory, if it is a value.
    pub(super) fn home(&self, item: Item) -> Home {
        match item {
            Item::Value(value) => self.homes[value as usize],
            Item::Row(_) => Home::None,
        }
    }

    /// Notes that the value was written to a row.
    pub(super) fn stored(&mut self, value: u32, row: u32) {
        if let Home::None = self.homes[value as usize] {
            self.homes[value as usize] = Home::Row(row);
        }
    }

    /// Protects the register from eviction during the current instruction.
    pub(super) fn pin(&mut self, register: Register) {
        self.pinned[usize::from(register.0)] = true;
    }

    /// Protects the register from eviction for good.
    pub(super) fn reserve(&mut self, register: Register) {
        self.reserved[usize::from(register.0)] = true;
    }

    /// Notes that the free register now holds the item.
    pub(super) fn put(&mut self, register: Register, item: Item) {
        self.contents[usize::from(register.0)] = Some(item);
        self.places.insert(item, register);
    }

    /// Whether the item is read by the current instruction for the last time.
    pub(super) fn ends(&self, item: Item) -> bool {
        self.next[self.now].contains(&(Some(item), NEVER))
    }

    /// Marks the current instruction's operands as read: those that are not read again
    /// leave their registers, and none is pinned any more. Memory that they are read
    /// from is not used again before the next instruction.
    pub(super) fn release(&mut self) {
        self.pinned.fill(false);
        for (item, next) in self.next[self.now] {
            let Some(item) = item else { continue };
            self.reading.insert(item, next);
            if next == NEVER
                && let Some(register) = self.places.remove(&item)
            {
                self.contents[usize::from(register.0)] = None;
            }
        }
    }

    /// Moves on to the next instruction.
    pub(super) fn step(&mut self) {
        self.release();
        for (item, next) in self.next[self.now] {
            if let (Some(item), NEVER) = (item, next) {
                self.forget(item);
            }
        }
        self.now += 1;
    }

    /// Makes a register free: one that is, or that of the item read last.
    pub(super) fn free(&mut self) -> Freed {
        let usable = (0..self.contents.len()).filter(|&at| !self.pinned[at] && !self.reserved[at]);
        let last = usable.max_by_key(|&at| self.next_reading(at));
        let at = last.expect("an instruction pins fewer registers than there are");
        let spill = self.contents[at].take().and_then(|item| {
            self.places.remove(&item);
            self.spill(item)
        });
        Freed {
            register: Register(at as u8),
            spill,
        }
    }

    /// Returns when the contents of a register are read next, counting from one; never, if
    /// it is empty.
    fn next_reading(&self, at: usize) -> u32 {
        self.contents[at].map_or(NEVER, |item| self.reading.get(&item).copied().unwrap_or(0))
    }

    /// Finds a place in memory for an item that leaves its register, unless it has one.
    fn spill(&mut self, item: Item) -> Option<u32> {
        let Item::Value(value) = item else {
            return None;
        };
        let home = &mut self.homes[value as usize];
        if !matches!(home, Home::None) {
            return None;
        }
        let slot = self.free_slots.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        *home = Home::Spilled(slot);
        Some(slot)
    }

    /// Frees the spill slot of an item that is not read again.
    fn forget(&mut self, item: Item) {
        self.reading.remove(&item);
        if let Item::Value(value) = item
            && let Home::Spilled(slot) = self.homes[value as usize]
        {
            self.homes[value as usize] = Home::None;
            self.free_slots.push(slot);
        }
    }
}

/// For each instruction, the items that it reads or makes, and when each is read next:
/// the number of that instruction.
fn next_readings(instructions: impl DoubleEndedIterator<Item = Access>) -> Vec<Readings> {
    let mut later: FxHashMap<Item, u32> = FxHashMap::default();
    let instructions: Vec<Access> = instructions.collect();
    let mut readings = vec![Readings::default(); instructions.len()];
    for (at, access) in instructions.iter().enumerate().rev() {
        let reads = access
            .reads
            .iter()
            .flatten()
            .map(|&operand| Item::from(operand));
        let items = reads.chain(access.makes.map(Item::Value));
        for (reading, item) in readings[at].iter_mut().zip(items.clone()) {
            *reading = (Some(item), later.get(&item).copied().unwrap_or(NEVER));
        }
        for item in items {
            later.insert(item, at as u32);
        }
    }
    readings
}
