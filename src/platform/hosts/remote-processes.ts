import type { Processes } from '../machine/machine.ts'
import { tagVariable } from '../machine/process-tag.ts'
import { remoteTag } from './remote-tag.ts'
import type { Scripts } from './remote-tree.ts'

/** The processes of another machine. Anything that its system does not report counts as unknown. */
export class RemoteProcesses implements Processes {
  readonly #scripts: Scripts
  readonly #sweep: Processes['sweep']

  constructor(scripts: Scripts, sweep: Processes['sweep']) {
    this.#scripts = scripts
    this.#sweep = sweep
  }

  async lives(pid: number, start: string | undefined): Promise<boolean> {
    const script = `if [ -r /proc/self/stat ]; then cat /proc/${pid}/stat; else kill -0 ${pid} && echo lives; fi`
    const { status, output } = await this.#scripts.run(script, { mostBytes: 4096 })
    const said = output.toString('latin1')
    if (status !== 0) return false
    if (said === 'lives\n') return true
    const fields = said.slice(said.lastIndexOf(')') + 2).split(' ')
    return fields[0] !== 'Z' && (start === undefined || fields[19] === start)
  }

  async isTagged(pid: number, tag: string): Promise<boolean> {
    const script = `tr '\\0' '\\n' </proc/${pid}/environ | grep '^${tagVariable}='`
    const { output } = await this.#scripts.run(script, { mostBytes: 4096 })
    const value = output
      .toString('latin1')
      .trim()
      .slice(tagVariable.length + 1)
    const own = remoteTag(tag)
    return value === own || value.startsWith(`${own}.`)
  }

  /** Memory is not measured on other machines. */
  async residentBytes(): Promise<undefined> {
    return undefined
  }

  /** Iris does not look for such programs on other machines. */
  async programsBelow(): Promise<readonly string[]> {
    return []
  }

  sweep(tag: string, graceMs: number): Promise<number> {
    return this.#sweep(remoteTag(tag), graceMs)
  }
}
