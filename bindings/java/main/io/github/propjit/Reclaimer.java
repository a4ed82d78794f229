package io.github.propjit;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

/**
 * Frees what the library made for objects that are gone: whenever an object is made or the library is
 * asked something, since a thread of its own would keep the class loader alive.
 */
final class Reclaimer extends PhantomReference<Object> {
    private static final ReferenceQueue<Object> GONE = new ReferenceQueue<>();
    private static final Set<Reclaimer> WAITING = ConcurrentHashMap.newKeySet();

    private final long pointer;
    private final LongConsumer free;

    private Reclaimer(Object owner, long pointer, LongConsumer free) {
        super(owner, GONE);
        this.pointer = pointer;
        this.free = free;
    }

    /** Lets the pointer be freed when its owner is gone. */
    static void register(Object owner, long pointer, LongConsumer free) {
        reclaim();
        WAITING.add(new Reclaimer(owner, pointer, free));
    }

    /** Frees the pointers of owners that are gone; a look at an empty queue if there are none. */
    static void reclaim() {
        Reference<?> gone;
        while ((gone = GONE.poll()) != null) {
            Reclaimer reclaimer = (Reclaimer) gone;
            WAITING.remove(reclaimer);
            reclaimer.free.accept(reclaimer.pointer);
        }
    }
}
