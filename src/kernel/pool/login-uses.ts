import { loginIn } from '../../claude/driver/settings-login.ts'
import type { SettingsFiles } from './settings-files.ts'

/**
 * For teams without an account of their own: the login and address settings that their projects' settings files had
 * when their last process started. A team with such settings uses a different account than the teams that share the
 * user's login.
 */
export class LoginUses {
  readonly #uses = new Map<string, string>()

  note(team: string, { files }: SettingsFiles): void {
    const ofProject = files.filter(({ level }) => level === 'project' || level === 'local')
    const said = [...loginIn(ofProject).values()].map(({ name, value }) => `${name}=${value}`)
    if (said.length === 0) this.#uses.delete(team)
    else this.#uses.set(team, said.toSorted().join('\n'))
  }

  /**
   * A text that differs if the login or the address differs. Undefined if the files set neither. The text may contain a
   * secret.
   */
  of(team: string): string | undefined {
    return this.#uses.get(team)
  }
}
