import { thoroughTests } from './thorough.ts'

/** Why a test of a file may take more than five seconds on two quiet cores. */
const slow: Readonly<Record<string, readonly string[]>> = {
  'Several real Claude Codes start or answer one after the other: half a second to a second each.': [
    'test/pins/rules.test.ts',
    'test/spec/account-limit.test.ts',
    'test/spec/agent-attacks.test.ts',
    'test/spec/asks.test.ts',
    'test/spec/asks-many.test.ts',
    'test/spec/audit.test.ts',
    'test/spec/cost.test.ts',
    'test/spec/demo.test.ts',
    'test/spec/file-modes.test.ts',
    'test/spec/fork.test.ts',
    'test/spec/hiding-attacks.test.ts',
    'test/spec/home-socket.test.ts',
    'test/spec/hosts-errors.test.ts',
    'test/spec/hosts-people.test.ts',
    'test/spec/hosts-rules.test.ts',
    'test/spec/inbox.test.ts',
    'test/spec/inherited-descriptors.test.ts',
    'test/spec/injections.test.ts',
    'test/spec/isolation-attacks.test.ts',
    'test/spec/mcp-eras.test.ts',
    'test/spec/prefix.test.ts',
    'test/spec/reload.test.ts',
    'test/spec/roles.test.ts',
    'test/spec/session-creation.test.ts',
    'test/spec/take-over-real.test.ts',
    'test/spec/typed.test.ts',
    'test/spec/unreadable-transcript.test.ts',
    'test/spec/whole-answer.test.ts',
  ],
  'Daemons in processes of their own start and end, some by a kill.': [
    'test/spec/bridge.test.ts',
    'test/spec/cli.test.ts',
    'test/spec/crash.test.ts',
    'test/spec/hosts-newcomer.test.ts',
    'test/spec/hosts-restart.test.ts',
    'test/spec/hosts-tunnel.test.ts',
    'test/spec/permissions-crash.test.ts',
    'test/spec/stop-tree.test.ts',
    'test/spec/store-damage.test.ts',
    'test/spec/subagents-crash.test.ts',
  ],
  'A browser draws many pages, or tens of thousands of messages.': [
    'test/spec/dashboard-inbox.test.ts',
    'test/spec/dashboard-permissions.test.ts',
    'test/spec/dashboard-xss.test.ts',
    'test/spec/dashboard.test.ts',
  ],
  'Each command, route or attack of a table is a process or a request.': [
    'src/platform/hosts/shells.test.ts',
    'test/spec/api-routes.test.ts',
    'test/spec/command-table.test.ts',
    'test/spec/http-attacks.test.ts',
  ],
  'It sends megabytes of messages, and collects all garbage in between.': ['test/spec/memory.test.ts'],
  'It plays random schedules for a fixed time.': ['test/property/months.test.ts'],
}

/** Files that say why a test takes long: here, or by their reason to be in the thorough tier. */
export const slowTests: ReadonlySet<string> = new Set([...Object.values(slow).flat(), ...thoroughTests])
