package io.github.propjit;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

/** Frees what the library made for objects that are gone. */
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

    /** Frees the pointer when its owner is gone and another object is registered. */
    static void register(Object owner, long pointer, LongConsumer free) {
        Reference<?> gone;
        while ((gone = GONE.poll()) != null) {
            Reclaimer reclaimer = (Reclaimer) gone;
            WAITING.remove(reclaimer);
            reclaimer.free.accept(reclaimer.pointer);
        }
        WAITING.add(new Reclaimer(owner, pointer, free));
    }
}
