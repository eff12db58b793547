import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Checkout, type Ending } from '../support/checkout.ts'
import { Terminal } from '../support/terminal.ts'

/** What the stub program said, which has to be all that stands on stdout. */
function said({ stdout }: Ending): unknown {
  return JSON.parse(stdout)
}

function endedProcess(): number {
  return spawnSync(process.execPath, ['--version']).pid
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const stamp = 'node_modules/.setup-stamp'
const lock = 'node_modules/.setup-lock'

test('the first run sets up and runs, the second one only runs', async () => {
  using checkout = new Checkout()

  const first = await checkout.start().ended
  expect(first).toMatchObject({ code: 0 })
  expect(first.stderr).toMatch(/Setting up Iris \(first run, about a minute\)…\n[^]*Iris is set up \(\d+ s\)\.\n$/)
  expect(checkout.npmCalls).toEqual([expect.stringMatching(/^install /)])
  expect(checkout.has(lock)).toBe(false)

  expect(await checkout.start().ended).toMatchObject({ code: 0, stdout: first.stdout, stderr: '' })
  expect(checkout.npmCalls).toHaveLength(1)
})

test('nothing but the program writes to stdout while setting up', async () => {
  using checkout = new Checkout()
  const ending = await checkout.start().ended
  expect(said(ending)).toMatchObject({ args: [] })
})

test('the program gets the arguments, the directory and the PATH of the caller, and the Node of the checkout', async () => {
  using checkout = new Checkout()
  const project = join(checkout.directory, 'a project')
  mkdirSync(project)

  const args = ['mcp', '', 'two words', '$HOME', '--help']
  const ending = await checkout.start(join(checkout.root, 'iris'), args, { cwd: project }).ended
  expect(said(ending)).toEqual({ args, cwd: project, path: checkout.bin, node: process.execPath })
})

test('called through links, absolute and relative, it finds its checkout', async () => {
  using checkout = new Checkout()
  const links = join(checkout.directory, 'my links')
  mkdirSync(links)
  symlinkSync(join(checkout.root, 'iris'), join(links, 'absolute'))
  symlinkSync('../a check out/iris', join(links, 'relative'))
  symlinkSync('relative', join(links, 'iris'))

  for (const name of ['absolute', 'relative', 'iris']) {
    expect(await checkout.start(join(links, name)).ended).toMatchObject({ code: 0 })
  }
  expect(said(await checkout.start('./iris', [], { cwd: links }).ended)).toMatchObject({ cwd: links })
  expect(said(await checkout.start('iris', [], { env: { PATH: `${links}:${checkout.bin}` } }).ended)).toBeTruthy()
  expect(checkout.npmCalls).toHaveLength(1)
})

test('five first runs at once set up once, and all run', async () => {
  using checkout = new Checkout()
  checkout.note('hold')
  const runs = Array.from({ length: 5 }, () => checkout.start())
  const states = await Promise.all(
    runs.map((run) =>
      Promise.any([
        run.says('Setting up Iris').then(() => 'sets up'),
        run.says('is setting Iris up; waiting for it…').then(() => 'waits'),
      ]),
    ),
  )
  expect(states.toSorted()).toEqual(['sets up', 'waits', 'waits', 'waits', 'waits'])

  checkout.clear('hold')
  for (const ending of await Promise.all(runs.map((run) => run.ended))) {
    expect(ending).toMatchObject({ code: 0 })
    expect(said(ending)).toMatchObject({ args: [] })
  }
  expect(checkout.npmCalls).toHaveLength(1)
})

test('a changed lock file is set up again', async () => {
  using checkout = new Checkout()
  await checkout.start().ended
  checkout.lock('second')
  mkdirSync(join(checkout.root, 'node_modules/unchanged'))
  const ending = await checkout.start().ended
  expect(ending).toMatchObject({ code: 0 })
  expect(ending.stderr).toContain('Updating the dependencies of Iris…')
  expect(checkout.has('node_modules/unchanged')).toBe(true)
  expect(checkout.npmCalls).toHaveLength(2)
})

test('a lock file that changes while npm runs is set up by the next run', async () => {
  using checkout = new Checkout()
  checkout.note('hold')
  const run = checkout.start()
  await checkout.npmHasStarted()
  checkout.lock('second')
  checkout.clear('hold')
  expect(await run.ended).toMatchObject({ code: 0 })
  await checkout.start().ended
  expect(checkout.npmCalls).toHaveLength(2)
})

test('a failed install is told, leaves no stamp and no lock, and is tried again by the next run', async () => {
  using checkout = new Checkout()
  checkout.note('fail')
  const failed = await checkout.start().ended
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toContain('npm error: no network')
  expect(failed.stderr).toContain('iris: set-up failed: npm install ended with 7')
  expect(checkout.has(stamp)).toBe(false)
  expect(checkout.has(lock)).toBe(false)

  checkout.clear('fail')
  expect(await checkout.start().ended).toMatchObject({ code: 0 })
})

test('what npm fetches again is said while it does', async () => {
  using checkout = new Checkout()
  checkout.note('hold')
  checkout.letNpmSay(
    'npm http fetch GET 200 https://registry.example/zod 12ms\nnpm http fetch GET https://registry.example/ws attempt 2 failed with ECONNRESET\n',
  )
  const run = checkout.start()
  await run.says('npm could not fetch https://registry.example/ws attempt 2 failed with ECONNRESET; it tries again.')
  checkout.clear('hold')
  const { code, stderr } = await run.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('npm http') })
})

/** Holds npm and the clock of the machine; `set` is seconds. */
function clockOf(checkout: Checkout): (seconds: number) => void {
  const file = join(checkout.directory, 'clock')
  const set = (seconds: number): void => {
    writeFileSync(`${file}.new`, String(seconds))
    renameSync(`${file}.new`, file)
  }
  checkout.command('date', `cat '${file}'`)
  set(1000)
  return set
}

test('where stderr is a file, a long set-up says every fifteen seconds how long it takes', async () => {
  using checkout = new Checkout()
  checkout.note('hold')
  const set = clockOf(checkout)
  const run = checkout.start()
  await checkout.npmHasStarted()
  for (const seconds of [16, 31, 50]) {
    set(1000 + seconds)
    await run.says(`Still fetching the dependencies (${seconds} s)…`)
  }
  checkout.clear('hold')
  const { code, stderr } = await run.ended
  expect({ code, said: stderr.match(/\d+ s\b/g) }).toEqual({ code: 0, said: ['16 s', '31 s', '50 s', '50 s'] })
})

test('at a terminal the seconds of the set-up count in one line, which is gone afterwards', async () => {
  using checkout = new Checkout()
  for (const tool of ['script', 'stty', 'sh']) checkout.link(tool)
  checkout.note('hold')
  const set = clockOf(checkout)
  await using terminal = new Terminal("'./iris'", { cwd: checkout.root, env: { PATH: checkout.bin } })
  await terminal.displays(/^0 s$/m)
  set(1007)
  await terminal.displays(/^7 s$/m)
  set(1023)
  await terminal.displays(/^23 s$/m)
  checkout.clear('hold')
  await terminal.displays('Iris is set up (23 s).')
  await terminal.exited()
  expect(terminal.screen().filter((row) => /^\d+ s/.test(row))).toEqual([])
  expect(terminal.printed).not.toContain('Still fetching')
})

test('a certificate that is not trusted ends the set-up at once, with what to do', async () => {
  using checkout = new Checkout()
  checkout.note('hold')
  checkout.letNpmSay('npm http fetch GET https://registry.example/ws attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN\n')
  const { code, stderr } = await checkout.start().ended
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('NODE_EXTRA_CA_CERTS=/path/to/it.pem') })
  expect(checkout.has(lock)).toBe(false)
})

test.each([
  ['EAI_AGAIN', "The name of npm's registry is not found. Are you online?"],
  ['ENETUNREACH', "npm's registry does not answer. Are you online?"],
])('without a way to the registry (%s) the set-up ends in seconds, and says why', async (error, why) => {
  using checkout = new Checkout()
  checkout.note('hold')
  checkout.letNpmSay(`npm http fetch GET https://registry.example/ws attempt 1 failed with ${error}\n`)
  const set = clockOf(checkout)
  const run = checkout.start()
  await run.says(`failed with ${error}; it tries again.`)
  set(1010)
  const { code, stderr } = await run.ended
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(why) })
  expect(stderr).not.toContain('Terminated')
  expect(checkout.has(lock)).toBe(false)
})

test('a registry that answers again after such an error is waited for', async () => {
  using checkout = new Checkout()
  checkout.note('hold')
  const of = 'npm http fetch GET'
  checkout.letNpmSay(
    `${of} https://registry.example/ws attempt 1 failed with EAI_AGAIN\n${of} 200 https://registry.example/ws 12ms\n`,
  )
  const set = clockOf(checkout)
  const run = checkout.start()
  await run.says('failed with EAI_AGAIN; it tries again.')
  set(1020)
  await run.says('Still fetching the dependencies (20 s)…')
  checkout.clear('hold')
  expect(await run.ended).toMatchObject({ code: 0 })
})

test.each([
  ['npm error code ENOTFOUND', 'Behind a proxy set HTTPS_PROXY'],
  ['npm error code ECONNREFUSED', 'registry does not answer'],
  ['npm error code ENOSPC', 'The disk is full. Make room'],
  ['npm error code EACCES', 'npm may not write there'],
  ['npm error code E401', 'npm login'],
])('a set-up that fails with "%s" says: %s', async (line, cause) => {
  using checkout = new Checkout()
  checkout.note('fail')
  checkout.letNpmSay(`${line}\n`)
  const { code, stderr } = await checkout.start().ended
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(cause) })
  expect(stderr).toContain(line)
})

test('an update that failed is not forgotten when the old lock file comes back', async () => {
  using checkout = new Checkout()
  await checkout.start().ended
  checkout.lock('second')
  checkout.note('fail')
  await checkout.start().ended
  checkout.lock('first')
  checkout.clear('fail')
  await checkout.start().ended
  expect(checkout.npmCalls).toHaveLength(3)
})

test('one who waits for a set-up that fails tries it himself', async () => {
  using checkout = new Checkout()
  checkout.note('hold')
  const first = checkout.start()
  await checkout.npmHasStarted()
  const second = checkout.start()
  await second.says('waiting for it')
  checkout.note('fail')
  checkout.clear('hold')
  expect(await first.ended).toMatchObject({ code: 1 })
  checkout.clear('fail')
  await second.ended
  expect(checkout.npmCalls).toHaveLength(2)
})

test('one who waits for a checkout that is removed gives up', async () => {
  using checkout = new Checkout()
  checkout.note('hold')
  const first = checkout.start()
  await checkout.npmHasStarted()
  const second = checkout.start()
  await second.says('waiting for it')
  first.signal('SIGKILL')
  rmSync(checkout.root, { recursive: true })
  const ending = await second.ended
  expect(ending).toMatchObject({ code: 1, stdout: '' })
  expect(ending.stderr).toContain('iris: cannot make')
  expect(existsSync(checkout.root)).toBe(false)
})

test('without npm it says what is missing', async () => {
  using checkout = new Checkout()
  rmSync(join(checkout.bin, 'npm'))
  const ending = await checkout.start().ended
  expect(ending).toMatchObject({ code: 1, stdout: '' })
  expect(ending.stderr).toMatch(/^iris: npm is not on PATH; .* Install Node\.js/)
  expect(checkout.has(lock)).toBe(false)
})

test('where npm brings no Node, an old one on PATH is refused and a new one is used', async () => {
  using checkout = new Checkout()
  checkout.note('no-node')
  const refused = await checkout.start().ended
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toMatch(/needs Node 24 or newer, and .*node is 20\.20\.2\. .*install a newer one/)
  expect(checkout.has(stamp)).toBe(false)

  checkout.command('node', `exec '${process.execPath}' "$@"`)
  expect(await checkout.start().ended).toMatchObject({ code: 0 })

  checkout.command('node', 'echo 20.20.2')
  expect(await checkout.start().ended).toMatchObject({ code: 1, stdout: '' })
})

test('the lock of a dead owner is taken over by one of three that find it at the same time', async () => {
  using checkout = new Checkout()
  const owner = endedProcess()
  checkout.leaveLock({ owner })
  // All three have read the dead owner before one acts on it, and then each gets its chance to take over.
  const reads = join(checkout.directory, 'reads')
  const met = `echo >>'${reads}'; until [ $(wc -l <'${reads}') -ge 3 ]; do sleep 0.02; done`
  const chance = 'until /bin/mkdir "$1" 2>/dev/null; do [ -d "${1%/*}" ] || exit 1; sleep 0.02; done'
  checkout.link('wc')
  checkout.command('cat', `/bin/cat "$@"\ncase $1 in */owner) ${met} ;; esac`)
  checkout.command('mkdir', `case $1 in */takeover) ${chance} ;; *) exec /bin/mkdir "$@" ;; esac`)

  const endings = await Promise.all([1, 2, 3].map(() => checkout.start().ended))
  expect(endings.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(endings.filter(({ stderr }) => stderr.includes(`Taking over from process ${owner}`))).toHaveLength(1)
  expect(checkout.npmCalls).toHaveLength(1)
  expect(checkout.has(lock)).toBe(false)
})

test('a lock that stays without an owner is taken over', async () => {
  using checkout = new Checkout()
  checkout.leaveLock({})
  checkout.command('sleep', 'exit 0')
  const ending = await checkout.start().ended
  expect(ending).toMatchObject({ code: 0 })
  expect(ending.stderr).toContain('Taking over from process unknown')
})

test('the npm of a dead owner is waited for', async () => {
  using checkout = new Checkout()
  const npm = spawn('sleep', ['60'])
  checkout.leaveLock({ owner: endedProcess(), npm: npm.pid ?? 0 })
  const run = checkout.start()
  await run.says('waiting for it')
  expect(checkout.npmCalls).toEqual([])
  npm.kill()
  const ending = await run.ended
  expect(ending).toMatchObject({ code: 0 })
  expect(ending.stderr).toContain('Taking over')
})

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends the set-up and its npm, and leaves no lock',
  async (signal) => {
    using checkout = new Checkout()
    checkout.note('hold')
    const run = checkout.start()
    await checkout.npmHasStarted()
    run.signal(signal)
    expect(await run.ended).toMatchObject({ signal, stdout: '' })
    expect(checkout.npmPids.filter(isAlive)).toEqual([])
    expect(checkout.has(stamp)).toBe(false)
    expect(checkout.has(lock)).toBe(false)

    checkout.clear('hold')
    expect(await checkout.start().ended).toMatchObject({ code: 0 })
  },
)

test('after kill -9 of a first run the next one takes over, from nothing', async () => {
  using checkout = new Checkout()
  checkout.note('hold')
  const killed = checkout.start()
  await checkout.npmHasStarted()
  killed.signal('SIGKILL')
  mkdirSync(join(checkout.root, 'node_modules/half-written'))
  const run = checkout.start()
  await run.says('waiting for it')
  checkout.clear('hold')
  await killed.ended
  expect(await run.ended).toMatchObject({ code: 0 })
  expect(checkout.npmCalls).toHaveLength(2)
  expect(checkout.has('node_modules/half-written')).toBe(false)
})
