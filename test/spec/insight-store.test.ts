import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestBrowser } from '../support/browser.ts'
import { ask, callTool } from '../support/call-tool.ts'
import { eventually } from '../support/eventually.ts'
import { fakeClaude } from '../support/fake-claude.ts'
import { TestIris } from '../support/iris.ts'
import { JumpingClock } from '../support/jumping-clock.ts'
import { Program } from '../support/program.ts'
import { firstIn } from '../support/tier.ts'

let browser: TestBrowser
beforeAll(async () => {
  browser = await TestBrowser.start()
}, 60_000)
afterAll(() => browser[Symbol.asyncDispose]())

/** Iris looks after the file of its store when it changed, and some seconds after a message: both wait for the test. */
class HeldLook extends JumpingClock {
  #held: (() => void)[] | undefined = []

  override after(ms: number, run: () => void): () => void {
    if (this.#held === undefined || (ms !== 20 && ms !== 5000)) return super.after(ms, run)
    this.#held.push(run)
    return () => this.#held?.splice(this.#held.indexOf(run), 1)
  }

  look(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const run of held) run()
  }
}

function replace(path: string, write: (path: string) => void): void {
  write(`${path}.other`)
  renameSync(`${path}.other`, path)
}

const pageBytes = 4096
/** So long that the pages in its middle hold nothing else. Only an analysis reads it again. */
const long = `${'first '.repeat(2000)}middle${' and last'.repeat(2000)}`

/** A page with a part of an old message leads to one that does not exist. */
function damage(path: string): void {
  const page = Math.floor(readFileSync(path).indexOf('middle') / pageBytes)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.from([0x7f, 0xff, 0xff, 0xff]), 0, 4, page * pageBytes)
  closeSync(file)
}

const wrong: readonly (readonly [string, (path: string) => void, string])[] = [
  [
    'is no database',
    (path) => replace(path, (other) => writeFileSync(other, 'no database '.repeat(1000))),
    'The analysis failed: file is not a database.',
  ],
  [
    'is of another program',
    (path) =>
      replace(path, (other) => {
        using database = new DatabaseSync(other)
        database.exec('CREATE TABLE other (id)')
      }),
    'The analysis failed: no such table: ',
  ],
  ['is damaged where only it reads', damage, 'The analysis failed: database disk image is malformed.'],
]

test.each(firstIn(wrong))(
  'while the database of the analysis %s, messages are answered, and command and page say what is wrong',
  async (_, spoil, words) => {
    using fake = fakeClaude({
      script: (file) => ({
        rules: [
          { when: 'slow', steps: [{ waitForFile: file('gate') }, { text: 'done' }] },
          { steps: [{ text: 'yes' }] },
        ],
      }),
    })
    const clock = new HeldLook({ movesMachine: true })
    const settings = { claudePath: fake.claudePath, env: { ...fake.env } }
    await using iris = await TestIris.start({ clock, settings, insight: { warmAhead: true, loadBalancing: true } })
    const reads = () => callTool(iris, 'find_patterns', {})
    const { turnId: first } = await ask(iris, 'backend', long, { fromTeam: 'mobile' })
    // Pages of the dashboard read the newest message of each conversation.
    const { turnId: second } = await ask(iris, 'backend', 'second', { fromTeam: 'mobile' })
    const { turnId: slow } = await callTool(iris, 'send_message', {
      toTeam: 'backend',
      message: 'slow',
      fromTeam: 'frontend',
      timeout: -1,
    })
    await iris.event('turn-delivered', ({ turnId }) => turnId === slow)
    await clock.jump(1)
    expect(await reads()).toMatchObject({ read: { asks: 3 } })
    iris.change('PRAGMA wal_checkpoint(TRUNCATE)')
    spoil(join(iris.world.home, 'data/team-sessions.db'))

    const env = { ...iris.world.env, IRIS_HOME: iris.world.home }
    const command = new Program(['patterns'], { cwd: iris.world.root, env })
    expect(await command.ended).toMatchObject({ code: 9, stdout: '', stderr: expect.stringContaining(words) })
    await using tab = await browser.open(iris, { path: '/insight' })
    await tab.page.getByRole('alert').filter({ hasText: words }).first().waitFor()
    fake.open('gate')
    expect(await callTool(iris, 'message_status', { turnId: slow, timeout: 0 })).toMatchObject({
      status: 'completed',
      response: 'done',
    })
    const analysis = reads()
    const after = await ask(iris, 'backend', 'after', { fromTeam: 'frontend' })
    expect(after).toMatchObject({ status: 'completed', response: 'yes' })
    await analysis

    clock.look()
    // The damaged row itself cannot be read until a start rebuilds it.
    const ids = [...(spoil === damage ? [] : [first]), second, slow, after.turnId]
    const completed = ids.map((id) => ({ id, outcome: 'completed' }))
    const all = (): unknown[] => ids.flatMap((id) => iris.rows(`SELECT id, outcome FROM turns WHERE id = '${id}'`))
    await eventually(() => JSON.stringify(safely(all)) === JSON.stringify(completed), 'all of it is in the store')
  },
  120_000,
)

/** Undefined while the store is not put back. */
function safely<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
