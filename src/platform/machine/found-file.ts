import { join } from 'node:path'
import type { ByteSource } from '../../base/lib/byte-source.ts'
import type { FileFacts, FileTree } from './machine.ts'

/** A file of a tree, read in ranges. Reading rejects once another file has taken its name. */
export class FoundFile implements ByteSource {
  readonly tree: FileTree
  readonly facts: FileFacts

  constructor(tree: FileTree, facts: FileFacts) {
    this.tree = tree
    this.facts = facts
  }

  get size(): number {
    return this.facts.size
  }

  /** For people to read; never used to open the file. */
  get path(): string {
    return join(this.tree.directory, ...this.facts.names)
  }

  read(from: number, length: number): Promise<Buffer> {
    return this.tree.read(this.facts, from, length)
  }
}
