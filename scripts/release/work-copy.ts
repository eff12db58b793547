import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { git } from './command.ts'

/** A copy of what is committed, with the dependencies of the checkout: a release that fails leaves nothing behind. */
export class WorkCopy implements Disposable {
  readonly path: string
  readonly #checkout: string
  readonly #directory: string

  constructor(checkout: string) {
    this.#checkout = checkout
    this.#directory = realpathSync(mkdtempSync(join(tmpdir(), 'iris-release-')))
    this.path = join(this.#directory, 'iris')
    git(checkout, 'worktree', 'add', '--detach', this.path, 'HEAD')
    symlinkSync(join(checkout, 'node_modules'), join(this.path, 'node_modules'))
  }

  [Symbol.dispose](): void {
    rmSync(this.#directory, { recursive: true, force: true })
    git(this.#checkout, 'worktree', 'prune')
  }
}
