/** Carries out a connection's requests one after the other, as they came. Only so many wait. */
export class RequestQueue {
  readonly #most: number;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @param work must not reject. @returns false when too many wait: then it is not done */
  add(work: () => Promise<void>): boolean {
    if (this.#waiting >= this.#most) return false;
    this.#waiting += 1;
    this.#last = this.#last.then(work).finally(() => {
      this.#waiting -= 1;
    });
    return true;
  }
}
