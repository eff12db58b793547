import { loginIn } from '../../claude/driver/settings-login.ts'
import type { SettingsFiles } from './settings-files.ts'

/**
 * For teams without their own account: the login and address settings in their projects' settings files when their last
 * process started. Such settings give a team a different account than the teams that share the user's login.
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
   * A text that differs if the login or the address differs; undefined: the files set neither. May contain a secret.
   */
  of(team: string): string | undefined {
    return this.#uses.get(team)
  }
}
