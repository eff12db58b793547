import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Script } from '../../src/app/demo/script.ts'
import { eventually } from '../support/eventually.ts'
import { TestIris } from '../support/iris.ts'
import { consoleOf, startForConsoles } from '../support/iris-console.ts'
import { answerPermission } from '../support/owner.ts'
import { contractVersions } from '../support/real-claude.ts'
import type { Terminal } from '../support/terminal.ts'
import { spoken } from '../support/world.ts'

const slow = 120_000
const [right, enter] = ['\u001b[C', '\r']

/** In a console `ask <command>` has `backend` run it; there it becomes a question. */
const script: Script = ({ body, conversation: { lastUserText, step, toolResults } }) => {
  const result = String(toolResults.at(-1)?.text)
  if (lastUserText.includes('<iris-message from=')) {
    if (step > 0) return { text: `It said: ${result}` }
    return { toolUses: [{ name: 'Bash', input: { command: spoken(lastUserText), description: 'A step' } }] }
  }
  const [verb, ...rest] = lastUserText.split(' ')
  const isThere = JSON.stringify(body.tools ?? []).includes('mcp__iris__send_message')
  if (verb === 'look') return { text: `Look ${rest}: Iris is ${isThere ? '' : 'not '}there.` }
  if (step > 0 || verb !== 'ask') return { text: `Done: ${result}` }
  const message = rest.join(' ')
  const input = { toTeam: 'backend', message, thread: message.replaceAll(/\W+/g, '-'), timeout: 0 }
  return { toolUses: [{ name: 'mcp__iris__send_message', input }] }
}

let iris: TestIris
beforeAll(async () => {
  // The consoles are real ones.
  iris = await TestIris.start({ claude: 'either', script, teams: ['frontend', 'backend'] })
  const { world } = iris
  const env = { ...world.env, IRIS_HOME: world.home }
  await startForConsoles({ world, env, startDaemon: () => iris.daemon.recovered }, ['frontend'])
})
afterAll(() => iris[Symbol.asyncDispose]())

const asked = async (command: string): Promise<string> => {
  const { permission } = await iris.event('permission:request', (each) => each.permission.input['command'] === command)
  return permission.permissionId
}

/** Older builds take input before their MCP servers are there. */
const connected = async (person: Terminal): Promise<void> => {
  await person.shows('❯')
  let looks = 0
  const hasTools = async () => {
    await person.type(`look ${++looks}`)
    await person.shows(`Look ${looks}:`)
    return person.printed.includes(`Look ${looks}: Iris is there.`)
  }
  await eventually(hasTools, 'the tools of Iris are there')
}

/** Asks from a session, and waits for the form. */
const formIn = async (person: Terminal, command: string): Promise<string> => {
  await connected(person)
  await person.type(`ask ${command}`)
  const id = await asked(command)
  await person.displays(`> command: ${command}`)
  return id
}

test.each(contractVersions)(
  'in Claude Code %s a person allows the command of another team, where they asked',
  {
    timeout: slow,
  },
  async (version) => {
    await using person = consoleOf(iris, 'frontend', '', version)
    const command = `rm -f here-${version}`
    const id = await formIn(person, command)
    for (const line of ['May backend use Bash? Asked by frontend → backend', 'Look at: deletes files'])
      await person.displays(line)
    await person.displays(`Also on the dashboard: http://127.0.0.1:${iris.port}`)
    // One stray key allows nothing: the choice is required and not made.
    await person.displays('not set')
    person.press(enter)
    await person.displays(/❯ Accept/)
    person.press(enter)
    await person.displays('This field is required')
    expect(iris.rows(`SELECT state FROM permissions WHERE id = '${id}'`)).toEqual([{ state: 'pending' }])
    person.press(right)
    await person.displays(/❯ ◯ Allow once/)
    person.press(enter)
    await person.displays(/Your answer: Allow once/)
    // Claude Code takes no key right after it has moved to the button: the person presses it again.
    let [looks, isResolved] = [0, false]
    void iris
      .event('permission:resolved', ({ permission }) => permission.permissionId === id)
      .then(() => {
        isResolved = true
      })
    const isAllowed = (): boolean => {
      if (looks++ % 50 === 0) person.press(enter)
      return isResolved
    }
    await eventually(isAllowed, 'the person allows it')
    await person.shows('Done:')
    expect(iris.rows(`SELECT actor, decision FROM audit WHERE subject = '${id}'`)).toEqual([
      { actor: 'owner, in Claude Code', decision: 'allow' },
    ])
  },
)

test.each(contractVersions)(
  'in Claude Code %s a form goes when somebody answers elsewhere',
  {
    timeout: slow,
  },
  async (version) => {
    await using person = consoleOf(iris, 'frontend', '', version)
    const id = await formIn(person, `rm -f there-${version}`)
    await answerPermission(iris, { permissionId: id }, 'deny')
    await person.shows('Done:')
    expect(person.screen().join('\n')).not.toContain('requests your input')
    expect(iris.rows(`SELECT actor, decision FROM audit WHERE subject = '${id}'`)).toEqual([
      { actor: 'owner', decision: 'deny' },
    ])
  },
)

test('the older revision costs nothing: the model has the same tools, instructions and answers, the person the same progress', {
  timeout: slow,
}, async () => {
  const world = async (elicitation: boolean) => {
    iris.world.writeConfig({ settings: { elicitation } })
    await iris.event('config-reloaded')
    const before = iris.world.model.requests.recent.length
    await using person = consoleOf(iris, 'frontend')
    await connected(person)
    const command = `rm -f as-before-${elicitation}`
    await person.type(`ask ${command}`)
    const id = await asked(command)
    await person.shows('Waiting for permission: Bash (backend)')
    await answerPermission(iris, { permissionId: id }, 'allow')
    await person.shows('Done:')
    const bodies = iris.world.model.requests.recent.slice(before).map(({ body }) => body)
    const mine = bodies.filter(({ tools }) => JSON.stringify(tools ?? []).includes('mcp__iris__list_teams'))
    const last = JSON.stringify(mine.at(-1)!.messages.at(-1))
    return {
      tools: (mine.at(-1)!.tools as { name: string }[]).filter(({ name }) => name.startsWith('mcp__iris__')),
      hasInstructions: JSON.stringify(mine.at(-1)).includes('Iris connects projects'),
      answer: Object.keys(JSON.parse(/\{.*\}/s.exec(JSON.parse(JSON.stringify(last)))?.[0] ?? '{}')),
      hasForm: person.printed.includes('requests your input'),
    }
  }
  // True is the default: only a change is taken up.
  const newest = await world(false)
  const older = await world(true)
  expect([older.hasForm, newest.hasForm]).toEqual([true, false])
  expect({ ...older, hasForm: true }).toEqual({ ...newest, hasForm: true })
  expect(older.tools.length).toBeGreaterThan(20)
  expect(older.hasInstructions).toBe(true)
})
