/**
 * The pure heart of an aggregate. `decide` turns a command into events or throws a DomainError;
 * `evolve` is total. Neither reads a clock, a random number or anything outside its arguments.
 */
export interface Decider<Command, Event, State> {
  readonly initialState: () => State;
  readonly decide: (command: Command, state: State) => readonly Event[];
  readonly evolve: (state: State, event: Event) => State;
}
