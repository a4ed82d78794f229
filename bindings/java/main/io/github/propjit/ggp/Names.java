package io.github.propjit.ggp;

import io.github.propjit.Game;
import io.github.propjit.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntFunction;
import org.ggp.base.util.gdl.factory.GdlFactory;
import org.ggp.base.util.gdl.grammar.GdlPool;
import org.ggp.base.util.gdl.grammar.GdlSentence;
import org.ggp.base.util.gdl.grammar.GdlTerm;
import org.ggp.base.util.statemachine.Move;
import org.ggp.base.util.statemachine.Role;
import org.ggp.base.util.symbol.factory.exceptions.SymbolFormatException;

/** What ggp-base calls the propositions and moves that are numbers in propjit. */
final class Names {
    private final Game game;
    /** Sentences by the number of the proposition. */
    private final Table<GdlSentence> sentences;
    /** For each role, moves by their number. */
    private final List<Table<Move>> moves = new ArrayList<>();

    Names(Game game) {
        this.game = game;
        sentences = new Table<>(number -> sentence(game.fluentText(number)));
        for (int role = 0; role < game.roles().size(); role++) {
            moves.add(moves(role));
        }
    }

    private Table<Move> moves(int role) {
        return new Table<>(number -> {
            GdlTerm term = term(game.moveText(role, number));
            return new NumberedMove(term, moves.get(role), number);
        });
    }

    Role role(String name) {
        return new Role(GdlPool.getConstant(name));
    }

    Move move(int role, int number) {
        return moves.get(role).get(number);
    }

    /** The number of a move, wherever it comes from. */
    int number(int role, Move move) {
        if (move instanceof NumberedMove && ((NumberedMove) move).table == moves.get(role)) {
            return ((NumberedMove) move).number;
        }
        return game.parseMove(role, move.getContents().toString());
    }

    Set<GdlSentence> sentences(State state) {
        Set<GdlSentence> holding = new HashSet<>();
        state.forEachFluent(number -> holding.add(sentences.get(number)));
        return holding;
    }

    /** The hash of the set of sentences, which is the sum of theirs. */
    int hash(State state) {
        int[] sum = {0};
        state.forEachFluent(number -> sum[0] += sentences.get(number).hashCode());
        return sum[0];
    }

    /** The state with these sentences, each of which is {@code (true ...)}. */
    State state(Set<GdlSentence> holding) {
        List<String> fluents = new ArrayList<>();
        for (GdlSentence sentence : holding) {
            fluents.add(sentence.get(0).toString());
        }
        return game.state(fluents);
    }

    private static GdlSentence sentence(String fluent) {
        return GdlPool.getRelation(GdlPool.TRUE, new GdlTerm[] {term(fluent)});
    }

    private static GdlTerm term(String text) {
        try {
            return GdlFactory.createTerm(text);
        } catch (SymbolFormatException error) {
            throw new IllegalArgumentException("ggp-base cannot read " + text, error);
        }
    }

    /** A move that knows its number, and the role's table that this is a place in. */
    private static final class NumberedMove extends Move {
        private static final long serialVersionUID = 1;

        private final transient Table<Move> table;
        private final transient int number;

        NumberedMove(GdlTerm term, Table<Move> table, int number) {
            super(term);
            this.table = table;
            this.number = number;
        }

        /** Elsewhere, numbers mean nothing. */
        private Object writeReplace() {
            return new Move(getContents());
        }
    }

    /** Objects by number, made when they are first asked for. They are immutable. */
    private static final class Table<T> {
        private final IntFunction<T> make;
        private volatile Object[] made = new Object[16];

        Table(IntFunction<T> make) {
            this.make = make;
        }

        @SuppressWarnings("unchecked")
        T get(int number) {
            Object[] made = this.made;
            Object found = number < made.length ? made[number] : null;
            return (T) (found == null ? add(number) : found);
        }

        /** Others may read the table meanwhile: they find nothing yet, or the whole object. */
        private synchronized Object add(int number) {
            if (number >= made.length) {
                made = Arrays.copyOf(made, Math.max(2 * made.length, number + 1));
            }
            if (made[number] == null) {
                made[number] = make.apply(number);
            }
            return made[number];
        }
    }
}
