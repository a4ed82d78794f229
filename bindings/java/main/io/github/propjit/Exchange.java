package io.github.propjit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * The calling thread's memory for numbers that go to the library and come back. A question is written
 * from its start on, and the answer is read from its start on.
 */
final class Exchange {
    static {
        Library.load();
    }

    private static final ThreadLocal<Exchange> OF_THREAD = ThreadLocal.withInitial(Exchange::new);
    private static final int FIRST_CAPACITY = 1 << 12;

    private LongBuffer numbers;
    private long address;

    private Exchange() {
        grow(FIRST_CAPACITY);
    }

    private void grow(int capacity) {
        ByteBuffer memory = ByteBuffer.allocateDirect(Math.multiplyExact(capacity, Long.BYTES));
        address = address(memory);
        // A view keeps the memory alive.
        numbers = memory.order(ByteOrder.nativeOrder()).asLongBuffer();
    }

    /** For a new question and its answer, with room for {@code size} numbers. */
    static Exchange begin(int size) {
        Reclaimer.reclaim();
        Exchange exchange = OF_THREAD.get();
        if (size > exchange.capacity()) {
            exchange.grow(size);
        }
        exchange.numbers.clear();
        return exchange;
    }

    long address() {
        return address;
    }

    int capacity() {
        return numbers.capacity();
    }

    Exchange put(long number) {
        numbers.put(number);
        return this;
    }

    /** The number of words, and these. */
    Exchange putWords(long[] words) {
        numbers.put(words.length);
        numbers.put(words);
        return this;
    }

    /** Goes over to the answer, if there was room for its numbers; if not, there is now. */
    boolean holds(int size) {
        numbers.clear();
        if (size <= capacity()) {
            return true;
        }
        grow(size);
        return false;
    }

    long get() {
        return numbers.get();
    }

    int getInt() {
        return (int) numbers.get();
    }

    double getDouble() {
        return Double.longBitsToDouble(numbers.get());
    }

    long[] getWords() {
        long[] words = new long[getInt()];
        numbers.get(words);
        return words;
    }

    private static native long address(ByteBuffer memory);
}
