/** A map with at most `most` entries: the one set longest ago makes room for a new one. */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #most: number;

  constructor(most: number, entries: Iterable<readonly [Key, Value]> = []) {
    super();
    this.#most = most;
    for (const [key, value] of entries) this.set(key, value);
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    const [oldest] = this.keys();
    if (this.size > this.#most && oldest !== undefined) this.delete(oldest);
    return this;
  }
}
