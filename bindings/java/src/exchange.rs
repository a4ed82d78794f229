//! Exchange of numbers between a Java thread and the library, without a copy by the virtual machine.

use jni::EnvUnowned;
use jni::objects::{JByteBuffer, JObject};
use jni::sys::{jint, jlong};
use propjit::{Move, State};

use crate::error::{Failure, call};
use crate::handle::{Handle, Open};

/// The memory of a direct buffer, as 64-bit numbers. Requests are read from its start and answers
/// are written from its start.
pub(crate) struct Exchange<'a> {
    numbers: &'a mut [i64],
    /// Where the next number is read or written.
    next: usize,
}

impl<'a> Exchange<'a> {
    /// # Safety
    /// The address is that of a direct buffer with room for `capacity` numbers, which is not
    /// accessed otherwise as long as the exchange lives.
    pub(crate) unsafe fn at(address: jlong, capacity: jint) -> Exchange<'a> {
        let first = address as *mut i64;
        // SAFETY: as promised by the caller; Java aligns direct buffers to at least 8 bytes.
        let numbers = unsafe { std::slice::from_raw_parts_mut(first, capacity as usize) };
        Exchange { numbers, next: 0 }
    }

    /// Reads the next number of a request.
    pub(crate) fn read(&mut self) -> i64 {
        self.next += 1;
        self.numbers[self.next - 1]
    }

    /// A state: the number of its words, and these.
    pub(crate) fn read_state(&mut self, state: &mut State) {
        let words = self.read() as usize;
        let words = &self.numbers[self.next..self.next + words];
        self.next += words.len();
        state.assign_from(words.iter().map(|&word| word as u64));
    }

    /// Reads `count` moves.
    pub(crate) fn read_moves(&mut self, moves: &mut Vec<Move>, count: usize) {
        moves.clear();
        moves.extend((0..count).map(|_| Move(self.read() as u32)));
    }

    /// Begins the answer, which is written over the request.
    pub(crate) fn answer(&mut self) {
        self.next = 0;
    }

    /// Writes the next number, if there is room.
    pub(crate) fn write(&mut self, number: i64) {
        if let Some(place) = self.numbers.get_mut(self.next) {
            *place = number;
        }
        self.next += 1;
    }

    /// Writes a floating-point number, as its bits.
    pub(crate) fn write_float(&mut self, number: f64) {
        self.write(number.to_bits() as i64);
    }

    /// Writes a state: the number of its words, and these.
    pub(crate) fn write_state(&mut self, state: &State) {
        self.write(state.words().len() as i64);
        state
            .words()
            .iter()
            .for_each(|&word| self.write(word as i64));
    }

    /// Returns how many numbers were written, or would have been if there were room.
    pub(crate) fn written(self) -> Result<jint, Failure> {
        jint::try_from(self.next).map_err(Failure::argument)
    }
}

/// Returns the inputs of a request with numbers: the object behind the pointer, and the exchange.
///
/// # Safety
/// As for [`Handle::get`] and [`Exchange::at`].
pub(crate) unsafe fn question<'a, T>(
    pointer: jlong,
    address: jlong,
    capacity: jint,
) -> Result<(Open<T>, Exchange<'a>), Failure> {
    // SAFETY: as promised by the caller.
    unsafe { Ok((Handle::get(pointer)?, Exchange::at(address, capacity))) }
}

/// `Exchange.address`: the address of the memory of a direct buffer.
#[unsafe(no_mangle)]
extern "system" fn Java_io_github_propjit_Exchange_address<'local>(
    env: EnvUnowned<'local>,
    _class: JObject<'local>,
    buffer: JByteBuffer<'local>,
) -> jlong {
    call(env, |env| {
        Ok(env.get_direct_buffer_address(&buffer)? as jlong)
    })
}
