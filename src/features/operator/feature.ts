import { feature } from '../../kernel/call/feature.ts'
import { type DebugParts, debug } from './handlers/debug.ts'
import { type LoginsParts, logins, revoke } from './handlers/logins.ts'
import { getLog, type LogsParts } from './handlers/logs.ts'
import { type RebootParts, reboot } from './handlers/reboot.ts'

/** For the person who runs Iris: the log, the logins of browsers, and what a process is doing. */
export const operator = feature('operator', (parts: DebugParts & LoginsParts & LogsParts & RebootParts) => ({
  gives: {},
  handlers: {
    get_logs: (input) => getLog(input, parts),
    list_logins: (_input, call) => logins(call, parts),
    revoke_login: (input) => revoke(input, parts),
    debug_session: (input, call) => debug(input, call, parts),
    session_reboot: (input, call) => reboot(input, call, parts),
  },
}))
