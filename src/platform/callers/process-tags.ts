import { readFile } from 'node:fs/promises'
import { tagIn } from '../machine/process-tag.ts'
import { hasGone, type Life } from './lineage.ts'

/** How many processes without a tag are remembered. */
const maxRemembered = 512

/** Reads process tags from environments. A process without a tag was not started by an agent, and is read only once. */
export class ProcessTags {
  readonly #unmarked = new Map<number, number>()

  /** Undefined if the process has no tag, has exited or is not readable. Rejects if Iris cannot open any more files. */
  async of({ pid, born }: Life): Promise<string | undefined> {
    if (this.#unmarked.get(pid) === born) return undefined
    // Asynchronous, because this reads the process's memory, and the process can slow that down.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch((error: unknown) => {
      if (hasGone(error) || isNotOurs(error)) return ''
      throw error
    })
    const tag = tagIn(environment)
    // During exec, a process seems to have no environment.
    if (tag === undefined && environment !== '') this.#remember(pid, born)
    return tag
  }

  #remember(pid: number, born: number): void {
    this.#unmarked.delete(pid)
    this.#unmarked.set(pid, born)
    const [oldest] = this.#unmarked.keys()
    if (this.#unmarked.size > maxRemembered) this.#unmarked.delete(oldest!)
  }
}

function isNotOurs(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EACCES' || code === 'EPERM'
}
