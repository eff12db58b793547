/** A set of row ids, with one bit for each. */
export class RowSet {
  #bits = new Uint8Array(1024)

  add(id: number): void {
    const byte = id >> 3
    if (byte >= this.#bits.length) {
      const more = new Uint8Array(byte * 2)
      more.set(this.#bits)
      this.#bits = more
    }
    this.#bits[byte]! |= 1 << (id & 7)
  }

  has(id: number): boolean {
    return ((this.#bits[id >> 3] ?? 0) & (1 << (id & 7))) !== 0
  }
}
