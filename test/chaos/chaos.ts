/** One kind of chaos: what is done to Iris at random, and what must be true afterwards. */
export interface Chaos extends AsyncDisposable {
  /**
   * Some seconds of it, decided by the seed as far as the machine lets it. Returns how often what happened, and of what
   * begins with `most ` the greatest value; throws with what broke.
   */
  round(seed: number): Promise<Readonly<Record<string, number>>>
}
