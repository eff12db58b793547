import { readFile } from 'node:fs/promises'
import { tagIn } from '../machine/process-tag.ts'
import { hasGone, type Life } from './lineage.ts'

/** Of the processes of people, shells and the like, so many are remembered. */
const mostRemembered = 512

/** The tags in the environments of processes. One without a tag was not started by an agent, and is read only once. */
export class ProcessTags {
  readonly #unmarked = new Map<number, number>()

  /** Undefined also when the process is gone or not ours to read. Throws where this process can open no more files. */
  async of({ pid, born }: Life): Promise<string | undefined> {
    if (this.#unmarked.get(pid) === born) return undefined
    // Not synchronously: the process's memory is read, which the process can make slow.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch((error: unknown) => {
      if (hasGone(error) || isNotOurs(error)) return ''
      throw error
    })
    const tag = tagIn(environment)
    // In the middle of exec a process seems to have no environment.
    if (tag === undefined && environment !== '') this.#remember(pid, born)
    return tag
  }

  #remember(pid: number, born: number): void {
    this.#unmarked.delete(pid)
    this.#unmarked.set(pid, born)
    const [oldest] = this.#unmarked.keys()
    if (this.#unmarked.size > mostRemembered) this.#unmarked.delete(oldest!)
  }
}

function isNotOurs(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EACCES' || code === 'EPERM'
}
