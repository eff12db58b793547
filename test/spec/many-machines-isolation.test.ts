import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keeperUser, natsUser } from '../../src/platform/config/nats-user.ts'
import { shellQuoted } from '../../src/platform/hosts/shell-words.ts'
import { ask } from '../support/call-tool.ts'
import { DaemonProcess } from '../support/daemon-process.ts'
import { NatsServer } from '../support/nats.ts'
import { obedient } from '../support/obedient.ts'
import { runCommand } from '../support/run-command.ts'
import { createWorld, type World } from '../support/world.ts'

// A server with users; its keeper has agents in each isolation, which do whatever they are asked to.
const yes = { grantPermission: 'yes', dangerous: true }
const agents = ['open', 'hidden', 'boxed'] as const

let server: NatsServer
let world: World
let daemon: DaemonProcess

beforeAll(async () => {
  const users = [
    natsUser({ name: 'laptop', password: 'laptop-password', sharedTeams: [] }),
    keeperUser('keeper_laptop', 'keeper-password'),
  ]
  server = await NatsServer.start(`authorization { users: [ ${users.join('\n')} ] }`)
  world = await createWorld({ script: obedient })
  const [own, keeper] = [join(world.root, 'laptop.creds'), join(world.root, 'keeper.creds')]
  writeFileSync(own, 'laptop:laptop-password\n', { mode: 0o600 })
  writeFileSync(keeper, 'keeper_laptop:keeper-password\n', { mode: 0o600 })
  world.writeConfig({
    teams: {
      open: { ...yes, isolation: 'none' },
      hidden: yes,
      boxed: { ...yes, isolation: 'sandbox' },
      reader: {},
    },
    cluster: { servers: server.url, name: 'laptop', credentials: own },
  })
  daemon = await DaemonProcess.start(world)
  const { code, stderr } = await runCommand(world, ['cluster', 'init', '--credentials', keeper], { cwd: world.root })
  if (code !== 0) throw new Error(stderr)
  // As the command and the guide say.
  writeFileSync(keeper, '')
})

afterAll(async () => {
  for (const each of [daemon, world, server]) await each[Symbol.asyncDispose]()
})

/** What the shell of an agent prints. $H is the home of Iris, $C the file with the credentials of this host. */
async function run(team: string, command: string): Promise<string> {
  const set = `H=${world.home}; C=${join(world.root, 'laptop.creds')}`
  const answer = await ask(daemon, team, `run bash -c ${shellQuoted(`${set}; ${command}`)}`, { fromTeam: 'reader' })
  return (answer.response ?? `${answer.status}: ${answer.detail}`).trim()
}

/** What each agent's shell prints. */
const each = (command: string): Promise<string[]> => Promise.all(agents.map((team) => run(team, command)))

/** Connects to the server as this user, whose name and password are words of the shell, and prints what it says last. */
const connectAs = (user: string, password: string): string =>
  `exec 3<>/dev/tcp/127.0.0.1/${server.port} && read -r -u 3 info &&
   printf 'CONNECT {"verbose":false,"user":"%s","pass":"%s"}\\r\\nPING\\r\\n' "${user}" "${password}" >&3 &&
   read -r -t 20 -u 3 said && echo "$said" | tr -d '\\r'`

const refused = "-ERR 'Authorization Violation'"

test('an agent without a credential is refused, in each isolation', async () => {
  expect(await each(connectAs('', ''))).toEqual([refused, refused, refused])
  expect(await each(connectAs('laptop', 'a-guess'))).toEqual([refused, refused, refused])
})

test("only an agent that is not isolated finds the host's credential, and is let in by it", async () => {
  const found = 'IFS=: read -r user password 2>/dev/null <$C'
  expect(await each(`${found}; ${connectAs('$user', '$password')}`)).toEqual(['PONG', refused, refused])
})

test('only an agent that is not isolated finds the credential of the keeper', async () => {
  const found = `k=$(grep -aoh 'keeper_laptop:keeper[-]password' $H/data/keeper.json $H/data/* 2>/dev/null | head -n 1)`
  const said = await each(`${found}; ${connectAs('${k%%:*}', '${k##*:}')}`)
  expect(said).toEqual(['PONG', refused, refused])
})

test('no isolated agent finds a credential in the processes and files that it can read', async () => {
  const words = 'laptop[-]password|keeper[-]password'
  const places = `/proc/[0-9]*/environ /proc/[0-9]*/cmdline $H/* $H/*/* ${world.root}/*`
  const said = await each(`grep -alE -D skip -d skip '${words}' ${places} 2>/dev/null | wc -l`)
  expect(said.slice(1)).toEqual(['0', '0'])
  expect(Number(said[0])).toBeGreaterThan(0)
})
