#ifndef PROPJIT_H
#define PROPJIT_H

/* Written by cbindgen from bindings/c/src: do not edit. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * propjit for C: games written in the Game Description Language. See docs/c.md. Running out of memory
 * ends the program.
 */

// The version of this header as one number, to be compared with `propjit_version()` and with the like.
#define PROPJIT_VERSION \
  (PROPJIT_VERSION_MAJOR * 1000000 + PROPJIT_VERSION_MINOR * 1000 + PROPJIT_VERSION_PATCH)

// A structure of this type that has its size, and 0 in all other fields, which is their default:
// `PropjitSearchOptions options = PROPJIT_INIT(PropjitSearchOptions);`. Functions take structures with a
// `size` from programs that were compiled with an earlier version of this header, too.
#ifdef __cplusplus
#define PROPJIT_INIT(type) ([] { type made = {}; made.size = sizeof(type); return made; }())
#else
#define PROPJIT_INIT(type) ((type){.size = sizeof(type)})
#endif

// The first number of the version of this header.
#define PROPJIT_VERSION_MAJOR 0

// The second number of the version of this header.
#define PROPJIT_VERSION_MINOR 1

// The third number of the version of this header.
#define PROPJIT_VERSION_PATCH 0

// The result of a call.
typedef enum PropjitStatus {
  // Success; results are written.
  PROPJIT_STATUS_OK = 0,
  // A pointer is null, a number out of range, or a text not UTF-8.
  PROPJIT_STATUS_BAD_ARGUMENT = 1,
  // A rulesheet cannot be read, is wrong, or cannot be played as asked.
  PROPJIT_STATUS_LOAD_FAILED = 2,
  // A move or an action is not legal, as none is in a terminal state.
  PROPJIT_STATUS_ILLEGAL_MOVE = 3,
  // A text names no move or proposition of the game.
  PROPJIT_STATUS_UNKNOWN_NAME = 4,
  // The rules leave the result undefined, or it took too long to compute.
  PROPJIT_STATUS_PLAY_FAILED = 5,
  // A bug in propjit. The objects of the call should not be used any more.
  PROPJIT_STATUS_PANICKED = 6,
  // There is not enough memory for the request.
  PROPJIT_STATUS_OUT_OF_MEMORY = 7,
  // The requested threads cannot be started.
  PROPJIT_STATUS_NO_THREADS = 8,
} PropjitStatus;

// What follows a match that has ended.
typedef enum PropjitAutoreset {
  // The step that ends a match starts the next one: rewards and ends are those of the old match, everything else is
  // about the new one.
  PROPJIT_AUTORESET_SAME_STEP = 0,
  // The step that ends a match shows its last state, with the current player -2 and no legal action. The next step
  // ignores the action, starts a match and has no reward.
  PROPJIT_AUTORESET_NEXT_STEP = 1,
} PropjitAutoreset;

// Who acts in a step.
typedef enum PropjitJoint {
  // All players, in games in which several are seen to have a choice at the same time; elsewhere, the one that has a
  // choice.
  PROPJIT_JOINT_AUTO = 0,
  // The player that has a choice.
  PROPJIT_JOINT_NEVER = 1,
  // All players.
  PROPJIT_JOINT_ALWAYS = 2,
} PropjitJoint;

// What players are rewarded with when a match ends. All other rewards are zero.
typedef enum PropjitRewards {
  // Zero-sum in games of two players whose goals are seen to have the same sum at the end of all matches; elsewhere,
  // goals.
  PROPJIT_REWARDS_AUTO = 0,
  // Goals.
  PROPJIT_REWARDS_GOALS = 1,
  // Of two players, each gets its goal less that of the other one, divided by the greatest difference that goals
  // allow: from -1 to 1.
  PROPJIT_REWARDS_ZERO_SUM = 2,
} PropjitRewards;

// A kind of search.
typedef enum PropjitSearchKind {
  // Minimax on a learned evaluation if it does better in trial matches; tree search otherwise, and without an
  // evaluation.
  PROPJIT_SEARCH_KIND_AUTO = 0,
  // Monte Carlo tree search.
  PROPJIT_SEARCH_KIND_MCTS = 1,
  // Minimax on a learned evaluation, in games of two roles in turns; tree search elsewhere.
  PROPJIT_SEARCH_KIND_MINIMAX = 2,
} PropjitSearchKind;

// Many matches of a game, played step by step. One thread at a time may use them.
//
// In each environment a player has a choice: forced moves are made without asking. A match that ends is followed by
// another one in the same place at once. See docs/c.md.
typedef struct PropjitEnvironments PropjitEnvironments;

// A loaded game. Any number of threads may use it at the same time. Objects made from it keep it
// alive.
typedef struct PropjitGame PropjitGame;

// What each player knows of a match: its percepts and its choices. Any number of threads may query it at the same
// time, unless one of them adds to it.
typedef struct PropjitKnowledge PropjitKnowledge;

// The propositions of a game, arranged in channels of a board's height and width: each kind of contents is a channel,
// each other proposition or relation is one or more. A game without a board has the height 1. Any number of threads
// may use them at the same time.
typedef struct PropjitPlanes PropjitPlanes;

// A search, with its results so far. One thread at a time may use it.
typedef struct PropjitSearch PropjitSearch;

// A state of a game. Any number of threads may query it at the same time, unless one of them plays
// in it.
typedef struct PropjitState PropjitState;

// A request to end long work early, which may come from any thread.
typedef struct PropjitStop PropjitStop;

// Options for environments.
typedef struct PropjitEnvironmentOptions {
  // The size of the structure: see `PROPJIT_INIT`.
  size_t size;
  // The number of threads; 0 is one.
  size_t threads;
  // The planes that are observed. If null, these are the base propositions; or in a game that hides information,
  // where there are no planes, what `propjit_knowledge_observe` writes.
  const struct PropjitPlanes *planes;
  // A `PropjitJoint`.
  uint32_t joint;
  // A `PropjitRewards`.
  uint32_t rewards;
  // A `PropjitAutoreset`.
  uint32_t autoreset;
  // The number of joint moves after which a match is truncated; 0 is 10,000.
  uint32_t max_steps;
} PropjitEnvironmentOptions;

// The sizes of arrays.
typedef struct PropjitShape {
  // The size of the structure: see `PROPJIT_INIT`.
  size_t size;
  // The number of environments.
  size_t environments;
  // The number of players: all roles but the one that plays at random.
  size_t players;
  // The number of actions that a step takes in each environment: one, or one of each player.
  size_t actors;
  // The number of observations of each environment: one, or one of each player that acts, if it does not look alike
  // to them.
  size_t observers;
  // The number of elements of an observation.
  size_t elements;
  // The number of actions that players have: see `propjit_game_actions`.
  size_t actions;
  // The number of actions that may be a choice of a player, which come first.
  size_t choices;
  // The least reward at the end of a match.
  float least_reward;
  // The greatest reward at the end of a match.
  float greatest_reward;
} PropjitShape;

// The caller's arrays, one environment after the other.
typedef struct PropjitOutputs {
  // The size of the structure: see `PROPJIT_INIT`.
  size_t size;
  // What is observed, 1 or 0 for each element: environments times observers times elements.
  uint8_t *observation;
  // Whether each action is legal, 1 or 0: environments times actors times actions.
  uint8_t *legal;
  // The number of legal actions: environments times actors.
  int32_t *legal_counts;
  // The number of the player that has a choice: -1 if several have, and -2 where a match is over.
  int32_t *current;
  // The rewards of the players where a match ended in a terminal state, not a number where a goal
  // is undefined, and zero elsewhere: environments times players.
  float *rewards;
  // Whether a match ended in a terminal state, 1 or 0.
  uint8_t *terminated;
  // Whether a match was given up, 1 or 0.
  uint8_t *truncated;
} PropjitOutputs;

// Options for loading a game.
typedef struct PropjitGameOptions {
  // The size of the structure: see `PROPJIT_INIT`.
  size_t size;
  // The backend: `prover`, `scalar`, `lanes` or `compiled`. If null, the best one plays the game, and the prover if
  // it cannot be grounded.
  const char *backend;
  // The time for grounding; 0 is half a minute.
  double ground_seconds;
} PropjitGameOptions;

// Options for random matches.
typedef struct PropjitPlayoutOptions {
  // The size of the structure: see `PROPJIT_INIT`.
  size_t size;
  // The number of threads; 0 is one.
  size_t threads;
  // The number of joint moves that a match may have; 0 is 10,000.
  uint32_t max_steps;
  // The number of matches; 0 is no limit.
  uint64_t matches;
  // The time in seconds in which matches are started; 0 is no limit.
  double seconds;
  // The seed of the random numbers: with one thread, the same one gives the same matches.
  uint64_t seed;
} PropjitPlayoutOptions;

// The results of random matches.
typedef struct PropjitPlayouts {
  // The size of the structure: see `PROPJIT_INIT`.
  size_t size;
  // The number of matches that ended.
  uint64_t matches;
  // The number of joint moves, those of matches that did not end included.
  uint64_t state_changes;
  // The number of matches that were given up because they were too long.
  uint64_t truncated;
  // The number of matches that ended where a role has no legal move.
  uint64_t stuck;
  // The time in seconds.
  double seconds;
} PropjitPlayouts;

// Options for searches.
typedef struct PropjitSearchOptions {
  // The size of the structure: see `PROPJIT_INIT`.
  size_t size;
  // The number of threads; 0 is one.
  size_t threads;
  // The memory that the search may take, in bytes; 0 is the default.
  size_t memory;
  // A `PropjitSearchKind`.
  uint32_t kind;
  // The number of joint moves that a match may have; 0 is 10,000.
  uint32_t max_steps;
  // Whether an evaluation of states is learned at first, for games of two to four roles.
  bool evaluation;
  // Whether a prover looks for forced wins beside the search, in games of two roles in turns.
  bool local;
  // The UCB exploration constant; 0 is the default, which depends on the search.
  double exploration;
  // The seed of the random numbers: with one thread, the same one gives the same results for the same number of
  // playouts.
  uint64_t seed;
} PropjitSearchOptions;

// The limits of a run of a search.
typedef struct PropjitSearchLimits {
  // The size of the structure: see `PROPJIT_INIT`.
  size_t size;
  // The time in seconds; 0 is no limit.
  double seconds;
  // The number of playouts that end; 0 is no limit.
  uint64_t playouts;
  // The number of nodes that are made; 0 is no limit.
  uint64_t nodes;
} PropjitSearchLimits;

// The results for a role.
typedef struct PropjitSearchReport {
  // The size of the structure: see `PROPJIT_INIT`.
  size_t size;
  // Whether there is a best move: not if there is no legal one, as in a terminal state.
  bool has_best;
  // Whether the value is proved.
  bool solved;
  // The best move.
  uint32_t best;
  // The goal that the role can expect, or not a number if nothing was searched.
  double value;
  // The number of nodes.
  uint64_t nodes;
  // The number of matches that were played since the state was set.
  uint64_t playouts;
} PropjitSearchReport;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The number of actions: moves that are numbered from 0 for learners, the same move by the same
// number for all roles. Environments take them and write them. Only a ground game has them.
//
// The first `choices` of them are moves of players that may be legal beside another one of the same
// player. Then come, up to `players`, moves of players that are proved to be forced whenever they are
// legal; and up to `actions`, moves that only the role `random` has. Each of the three is sorted by
// functor, and then by arguments from left to right: numbers first, by value, and then other names.
// The numbers depend on the rulesheet alone.
//
// # Safety
// `game` points to a game; `choices`, `players` and `actions` can be written to.
enum PropjitStatus propjit_game_actions(const struct PropjitGame *game,
                                        size_t *choices,
                                        size_t *players,
                                        size_t *actions);

// The text of an action, to be freed with `propjit_text_free`.
//
// # Safety
// `game` points to a game; a pointer can be written to `name`.
enum PropjitStatus propjit_game_action_text(const struct PropjitGame *game,
                                            uint32_t action,
                                            char **name);

// The action that a move of a role is.
//
// # Safety
// `game` points to a game; `action` can be written to.
enum PropjitStatus propjit_game_move_action(const struct PropjitGame *game,
                                            uint32_t role,
                                            uint32_t played,
                                            uint32_t *action);

// The number of the move of a role that an action is.
//
// # Safety
// `game` points to a game; `played` can be written to.
enum PropjitStatus propjit_game_action_move(const struct PropjitGame *game,
                                            uint32_t role,
                                            uint32_t action,
                                            uint32_t *played);

// Writes the actions that are a role's legal moves to `actions`, ascending, up to `capacity` of them, and to `count`
// how many there are: none in a terminal state.
//
// # Safety
// `state` points to a state; `count` can be written to, and `actions` as many times as `capacity` says.
enum PropjitStatus propjit_state_legal_actions(const struct PropjitState *state,
                                               uint32_t role,
                                               uint32_t *actions,
                                               size_t capacity,
                                               size_t *count);

// Replaces the state by the one after an action of each role, in their order. A role whose number is -1 makes its only
// legal move. If an action is not legal, or the match is over, the state does not change.
//
// # Safety
// `state` points to a state that is not used otherwise meanwhile; `actions` points to `count` numbers.
enum PropjitStatus propjit_state_apply(struct PropjitState *state,
                                       const int32_t *actions,
                                       size_t count);

// Makes `count` environments.
//
// # Safety
// `game` points to a game, `options` is null or points to options; a pointer can be written to `environments`.
enum PropjitStatus propjit_environments_new(const struct PropjitGame *game,
                                            size_t count,
                                            const struct PropjitEnvironmentOptions *options,
                                            struct PropjitEnvironments **environments);

// Frees environments. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_environments_free(struct PropjitEnvironments *environments);

// The sizes of arrays.
//
// # Safety
// `environments` points to environments, `shape` to a structure with its size.
enum PropjitStatus propjit_environments_shape(const struct PropjitEnvironments *environments,
                                              struct PropjitShape *shape);

// Starts a match in each environment.
//
// # Safety
// `environments` points to environments, `outputs` to arrays of their shape; they are not used
// otherwise meanwhile.
enum PropjitStatus propjit_environments_reset(struct PropjitEnvironments *environments,
                                              uint64_t seed,
                                              const struct PropjitOutputs *outputs);

// Takes an action of each actor in each environment. If one is not legal, nothing happens.
//
// # Safety
// `environments` points to environments, `actions` to as many numbers as there are environments
// times actors, `outputs` to arrays of their shape; they are not used otherwise meanwhile.
enum PropjitStatus propjit_environments_step(struct PropjitEnvironments *environments,
                                             const int32_t *actions,
                                             const struct PropjitOutputs *outputs);

// Takes `steps` actions in each environment, chosen at random. To `terminated` it writes how many
// matches ended in a terminal state; the arrays describe the last step.
//
// # Safety
// `environments` points to environments, `outputs` to arrays of their shape; they are not used
// otherwise meanwhile. `terminated` can be written to.
enum PropjitStatus propjit_environments_step_random(struct PropjitEnvironments *environments,
                                                    uint32_t steps,
                                                    const struct PropjitOutputs *outputs,
                                                    uint64_t *terminated);

// Writes to `actions` the legal actions that have these ranks, from 0.
//
// # Safety
// `environments` points to environments; `ranks` and `actions` point to as many numbers as there
// are environments times actors.
enum PropjitStatus propjit_environments_nth_legal(const struct PropjitEnvironments *environments,
                                                  const int32_t *ranks,
                                                  int32_t *actions);

// Makes a state that is a copy of that of an environment.
//
// # Safety
// `environments` points to environments; a pointer can be written to `state`.
enum PropjitStatus propjit_environments_state(const struct PropjitEnvironments *environments,
                                              size_t environment,
                                              struct PropjitState **state);

// Returns the message of the last call of this thread that failed. The text is valid until the
// next one fails, and must not be freed.
const char *propjit_last_error(void);

// Frees a text that this library returned. A null pointer is ignored.
//
// # Safety
// The text is null, or was returned by a function of this library and not freed yet.
void propjit_text_free(char *text);

// Loads the rulesheet in a file.
//
// # Safety
// `path` ends with a zero byte; `options` is null or points to options; a pointer can be written to `game`.
enum PropjitStatus propjit_game_load(const char *path,
                                     const struct PropjitGameOptions *options,
                                     struct PropjitGame **game);

// Loads a rulesheet that is given as text; the name is for messages.
//
// # Safety
// `name` and `rules` end with a zero byte; `options` is null or points to options; a pointer can be written to `game`.
enum PropjitStatus propjit_game_from_text(const char *name,
                                          const char *rules,
                                          const struct PropjitGameOptions *options,
                                          struct PropjitGame **game);

// Frees a game. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_game_free(struct PropjitGame *game);

// Waits until there is machine code, which is made in the background otherwise.
//
// # Safety
// `game` points to a game.
enum PropjitStatus propjit_game_wait(const struct PropjitGame *game);

// The number of roles, which are numbered from 0.
//
// # Safety
// `game` points to a game; `roles` can be written to.
enum PropjitStatus propjit_game_roles(const struct PropjitGame *game, uint32_t *roles);

// The name of a role, to be freed with `propjit_text_free`.
//
// # Safety
// `game` points to a game; a pointer can be written to `name`.
enum PropjitStatus propjit_game_role_name(const struct PropjitGame *game,
                                          uint32_t role,
                                          char **name);

// The role that plays at random, or -1 if there is none. All others are players, which environments number from 0.
//
// # Safety
// `game` points to a game; `role` can be written to.
enum PropjitStatus propjit_game_random_role(const struct PropjitGame *game,
                                            int32_t *role);

// The number of base propositions, and that of all moves that a role ever has, which are numbered
// from 0. Only a ground game has them.
//
// # Safety
// `game` points to a game; `propositions` and `moves` can be written to.
enum PropjitStatus propjit_game_sizes(const struct PropjitGame *game,
                                      uint32_t role,
                                      size_t *propositions,
                                      size_t *moves);

// The text of a move, to be freed with `propjit_text_free`.
//
// # Safety
// `game` points to a game; a pointer can be written to `name`.
enum PropjitStatus propjit_game_move_text(const struct PropjitGame *game,
                                          uint32_t role,
                                          uint32_t played,
                                          char **name);

// Finds the number of the move that a text spells. The prover takes any term for a move.
//
// # Safety
// `game` points to a game; `name` ends with a zero byte; `played` can be written to.
enum PropjitStatus propjit_game_parse_move(const struct PropjitGame *game,
                                           uint32_t role,
                                           const char *name,
                                           uint32_t *played);

// The text of a base proposition, to be freed with `propjit_text_free`.
//
// # Safety
// `game` points to a game; a pointer can be written to `name`.
enum PropjitStatus propjit_game_proposition_text(const struct PropjitGame *game,
                                                 size_t proposition,
                                                 char **name);

// Makes a token that is not set.
//
// # Safety
// A pointer can be written to `stop`.
enum PropjitStatus propjit_stop_new(struct PropjitStop **stop);

// Asks the work with this token to end. Safe in any thread, at any time, and in signal handlers.
//
// # Safety
// It is null, or points to a token.
void propjit_stop_set(const struct PropjitStop *stop);

// Frees a token. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_stop_free(struct PropjitStop *stop);

// Determines whether roles may not know the whole state. The first call may take some seconds.
//
// # Safety
// `game` points to a game; `hides` can be written to.
enum PropjitStatus propjit_game_hides_information(const struct PropjitGame *game, bool *hides);

// The number of all percepts that a role may ever have, which are numbered from 0. Only a ground game has numbers for
// them.
//
// # Safety
// `game` points to a game; `count` can be written to.
enum PropjitStatus propjit_game_percepts(const struct PropjitGame *game,
                                         uint32_t role,
                                         size_t *count);

// The text of a percept of a role, to be freed with `propjit_text_free`.
//
// # Safety
// `game` points to a game; a pointer can be written to `name`.
enum PropjitStatus propjit_game_percept_text(const struct PropjitGame *game,
                                             uint32_t role,
                                             uint32_t percept,
                                             char **name);

// What a role perceives when a move of each role is made in the state, in the order of the roles: sorted, one in each
// line, to be freed with `propjit_text_free`. There is nothing in games without `sees` rules, in which roles see all.
//
// # Safety
// `state` points to a state; `moves` points to `count` numbers; a pointer can be written to `percepts`.
enum PropjitStatus propjit_state_percepts(const struct PropjitState *state,
                                          const uint32_t *moves,
                                          size_t count,
                                          uint32_t role,
                                          char **percepts);

// Makes what players know at the start of a match: nothing.
//
// # Safety
// `game` points to a game; a pointer can be written to `knowledge`.
enum PropjitStatus propjit_knowledge_new(const struct PropjitGame *game,
                                         struct PropjitKnowledge **knowledge);

// Makes a copy.
//
// # Safety
// `knowledge` points to knowledge; a pointer can be written to `copy`.
enum PropjitStatus propjit_knowledge_clone(const struct PropjitKnowledge *knowledge,
                                           struct PropjitKnowledge **copy);

// Frees knowledge. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_knowledge_free(struct PropjitKnowledge *knowledge);

// Adds what players choose and perceive when a move of each role is made in a state, in the order of the roles. The
// state does not change: it is played in afterwards. If a move is not legal, or the match is over, nothing is added.
//
// # Safety
// `knowledge` points to knowledge that is not used otherwise meanwhile, `state` to a state of its game; `moves` points
// to `count` numbers.
enum PropjitStatus propjit_knowledge_add(struct PropjitKnowledge *knowledge,
                                         const struct PropjitState *state,
                                         const uint32_t *moves,
                                         size_t count);

// The number of elements of what a player observes.
//
// # Safety
// `knowledge` points to knowledge; `elements` can be written to.
enum PropjitStatus propjit_knowledge_size(const struct PropjitKnowledge *knowledge,
                                          size_t *elements);

// Writes what a player observes, 1 or 0 for each element: its percepts since it last had a choice, its percepts since
// the match began (both by number, and as many as the player with the most percepts has), and the actions that it has
// chosen.
//
// # Safety
// `knowledge` points to knowledge; `elements` can be written to `count` times.
enum PropjitStatus propjit_knowledge_observe(const struct PropjitKnowledge *knowledge,
                                             uint32_t role,
                                             uint8_t *elements,
                                             size_t count);

// Makes the planes of a game. With `relative`, each player sees its own pieces where the others see theirs, and who it
// is in channels of their own. Boards are inferred from random matches, the same ones each time, which the token,
// which may be null, ends early.
//
// # Safety
// `game` points to a game, `stop` is null or points to a token; a pointer can be written to `planes`.
enum PropjitStatus propjit_planes_new(const struct PropjitGame *game,
                                      bool relative,
                                      const struct PropjitStop *stop,
                                      struct PropjitPlanes **planes);

// Frees planes. A null pointer is ignored.
//
// # Safety
// They are null, or were made by this library and not freed yet.
void propjit_planes_free(struct PropjitPlanes *planes);

// The number of channels, their height and their width.
//
// # Safety
// `planes` points to planes; `channels`, `height` and `width` can be written to.
enum PropjitStatus propjit_planes_shape(const struct PropjitPlanes *planes,
                                        size_t *channels,
                                        size_t *height,
                                        size_t *width);

// The name of a channel: its contents, or its proposition, to be freed with `propjit_text_free`. Where these depend on
// the player, they are named for the players in their order.
//
// # Safety
// `planes` points to planes; a pointer can be written to `name`.
enum PropjitStatus propjit_planes_name(const struct PropjitPlanes *planes,
                                       size_t channel,
                                       char **name);

// Writes what a player observes in a state, 1 or 0 for each element: channel by channel, each row by row.
//
// # Safety
// `planes` points to planes, `state` to a state of the same game; `elements` can be written to `count` times.
enum PropjitStatus propjit_planes_observe(const struct PropjitPlanes *planes,
                                          const struct PropjitState *state,
                                          uint32_t role,
                                          uint8_t *elements,
                                          size_t count);

// Plays random matches from the initial state, until one of the limits in `options` is reached or the token, which may
// be null, is set. To `mean_goals`, unless it is null, it writes the mean goal of each role, or not a number if no
// match ended with one.
//
// # Safety
// `game` points to a game, `options` to options, `stop` is null or points to a token; `result` points to a structure
// with its size, and `mean_goals` is null or can be written to as many times as there are roles.
enum PropjitStatus propjit_game_playouts(const struct PropjitGame *game,
                                         const struct PropjitPlayoutOptions *options,
                                         const struct PropjitStop *stop,
                                         struct PropjitPlayouts *result,
                                         double *mean_goals);

// Makes a search from the initial state.
//
// # Safety
// `game` points to a game, `options` is null or points to options; a pointer can be written to `search`.
enum PropjitStatus propjit_search_new(const struct PropjitGame *game,
                                      const struct PropjitSearchOptions *options,
                                      struct PropjitSearch **search);

// Frees a search. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_search_free(struct PropjitSearch *search);

// Searches from another state from now on, which comes after `depth` joint moves.
//
// # Safety
// `search` points to a search that is not used otherwise meanwhile, `state` to a state of its
// game.
enum PropjitStatus propjit_search_set_root(struct PropjitSearch *search,
                                           const struct PropjitState *state,
                                           uint32_t depth);

// Searches until one of the limits is reached, the token is set, or the value is proved. Either limits or a token may
// be null.
//
// # Safety
// `search` points to a search that is not used otherwise meanwhile; `limits` is null or points to limits, `stop` is
// null or points to a token.
enum PropjitStatus propjit_search_run(struct PropjitSearch *search,
                                      const struct PropjitSearchLimits *limits,
                                      const struct PropjitStop *stop);

// Returns the results for a role so far.
//
// # Safety
// `search` points to a search that is not used otherwise meanwhile; `report` points to a structure with its
// size.
enum PropjitStatus propjit_search_report(struct PropjitSearch *search,
                                         uint32_t role,
                                         struct PropjitSearchReport *report);

// Makes the state in which every match starts.
//
// # Safety
// `game` points to a game; a pointer can be written to `state`.
enum PropjitStatus propjit_state_initial(const struct PropjitGame *game,
                                         struct PropjitState **state);

// Makes the state in which exactly these propositions hold: one in each line, as
// `propjit_state_text` writes them. The prover takes any term for a proposition.
//
// # Safety
// `game` points to a game; `fluents` ends with a zero byte; a pointer can be written to `state`.
enum PropjitStatus propjit_state_parse(const struct PropjitGame *game,
                                       const char *fluents,
                                       struct PropjitState **state);

// Makes a copy of a state.
//
// # Safety
// `state` points to a state; a pointer can be written to `copy`.
enum PropjitStatus propjit_state_clone(const struct PropjitState *state,
                                       struct PropjitState **copy);

// Frees a state. A null pointer is ignored.
//
// # Safety
// It is null, or was made by this library and not freed yet.
void propjit_state_free(struct PropjitState *state);

// The text of a state: its propositions, sorted, one in each line. To be freed with
// `propjit_text_free`.
//
// # Safety
// `state` points to a state; a pointer can be written to `fluents`.
enum PropjitStatus propjit_state_text(const struct PropjitState *state, char **fluents);

// Determines whether two states, of the same game, are equal.
//
// # Safety
// `one` and `other` point to states; `equal` can be written to.
enum PropjitStatus propjit_state_equal(const struct PropjitState *one,
                                       const struct PropjitState *other,
                                       bool *equal);

// Determines whether a match ends in the state.
//
// # Safety
// `state` points to a state; `terminal` can be written to.
enum PropjitStatus propjit_state_terminal(const struct PropjitState *state, bool *terminal);

// The goal of a role. The status is `PROPJIT_STATUS_PLAY_FAILED` if it does not have exactly one
// value.
//
// # Safety
// `state` points to a state; `goal` can be written to.
enum PropjitStatus propjit_state_goal(const struct PropjitState *state,
                                      uint32_t role,
                                      int32_t *goal);

// Writes the numbers of a role's legal moves to `moves`, up to `capacity` of them, and to `count`
// how many there are: none in a terminal state.
//
// # Safety
// `state` points to a state; `count` can be written to, and `moves` as many times as `capacity`
// says.
enum PropjitStatus propjit_state_legal(const struct PropjitState *state,
                                       uint32_t role,
                                       uint32_t *moves,
                                       size_t capacity,
                                       size_t *count);

// Writes the roles that have several legal moves to `roles`, up to `capacity` of them, and to `count` how many there
// are: none in a terminal state.
//
// # Safety
// `state` points to a state; `count` can be written to, and `roles` as many times as `capacity` says.
enum PropjitStatus propjit_state_to_move(const struct PropjitState *state,
                                         uint32_t *roles,
                                         size_t capacity,
                                         size_t *count);

// Writes whether each base proposition holds, 1 or 0. Only a ground game has numbers for them.
//
// # Safety
// `state` points to a state; `holds` can be written to `count` times.
enum PropjitStatus propjit_state_propositions(const struct PropjitState *state,
                                              uint8_t *holds,
                                              size_t count);

// Replaces the state by the one after a move of each role, in their order. If one is not legal, or
// the match is over, the state does not change.
//
// # Safety
// `state` points to a state that is not used otherwise meanwhile; `moves` points to `count`
// numbers.
enum PropjitStatus propjit_state_play(struct PropjitState *state,
                                      const uint32_t *moves,
                                      size_t count);

// The version of the library: equal to `PROPJIT_VERSION` if it is that of this header.
uint32_t propjit_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PROPJIT_H */
