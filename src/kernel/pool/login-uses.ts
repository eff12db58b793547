import { loginIn } from '../../claude/driver/settings-login.ts'
import type { SettingsFiles } from './settings-files.ts'

/**
 * Of teams without an account of their own: what the settings files of their projects said of login and address when
 * their last process started. Such a team has another account than those that share the login of the user.
 */
export class LoginUses {
  readonly #uses = new Map<string, string>()

  note(team: string, { files }: SettingsFiles): void {
    const ofProject = files.filter(({ level }) => level === 'project' || level === 'local')
    const said = [...loginIn(ofProject).values()].map(({ name, value }) => `${name}=${value}`)
    if (said.length === 0) this.#uses.delete(team)
    else this.#uses.set(team, said.toSorted().join('\n'))
  }

  /** Differs where login or address differ; undefined: nothing was said. May hold a secret. */
  of(team: string): string | undefined {
    return this.#uses.get(team)
  }
}
