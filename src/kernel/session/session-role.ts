import { roleOfThread } from '../../base/protocol/role.ts'
import type { Config, Role } from '../../platform/config/config.ts'
import { roleOf } from '../../platform/config/roles.ts'
import type { Session } from './session.ts'

/** The role with whose rights a session is answered. Undefined if it is answered with the team's own rights. */
export function roleOfSession({ thread }: Pick<Session, 'thread'>, config: Config): Role | undefined {
  const name = roleOfThread(thread)
  return name === undefined ? undefined : roleOf(config, name)
}
