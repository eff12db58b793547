import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ask, callTool, refusal } from '../support/call-tool.ts'
import { TestIris } from '../support/iris.ts'
import { runCommand } from '../support/run-command.ts'

interface Part {
  readonly response: string
  readonly part: { readonly from: number; readonly next?: number; readonly length: number }
}

test('a long answer comes in parts that say where the next one begins: as a tool, by HTTP and in a terminal', async () => {
  // Each is two characters, so a part of an even length that begins at 1 would end within one.
  const whole = `x${'😀'.repeat(20_000)}`
  await using iris = await TestIris.start({ claude: 'either', script: () => ({ text: whole }), teams: { backend: {} } })
  const { turnId } = await ask(iris, 'backend', 'Tell me all.')

  const read = async (part: (from: number) => Promise<Part>): Promise<string> => {
    let text = ''
    for (let from: number | undefined = 0; from !== undefined; ) {
      const { response, part: said }: Part = await part(from)
      expect(said).toMatchObject({ from, length: whole.length })
      expect(response.isWellFormed()).toBe(true)
      text += response
      from = said.next
    }
    return text
  }
  const headers = { authorization: `Bearer ${iris.token}` }
  const byHttp = async (from: number) =>
    (await (await fetch(`http://127.0.0.1:${iris.port}/api/turns/${turnId}?from=${from}`, { headers })).json()) as Part
  const byTool = async (from: number) => (await callTool(iris, 'message_status', { turnId, from })) as unknown as Part
  expect(await read(byTool)).toBe(whole)
  expect(await read(byHttp)).toBe(whole)

  const { part } = await byTool(0)
  const shown = await runCommand(iris.world, ['result', turnId.slice(0, 8), '--from', String(part.next)])
  expect(whole.slice(part.next)).toMatch(new RegExp(`^${shown.stdout.trim()}`))
  const { next } = (await byTool(part.next!)).part
  expect(shown.stderr).toContain(
    `(Characters ${part.next} to ${next} of ${whole.length}. Next: iris result ${turnId.slice(0, 8)} --from ${next})`,
  )
  expect(await refusal(iris, 'message_status', { turnId, from: whole.length + 1 })).toMatchObject({
    code: 'invalid_input',
    remedy: expect.stringContaining('0 for the first part'),
  })
  expect(await callTool(iris, 'message_status', { turnId })).toMatchObject({ response: whole })
})

test('of an answer longer than maxAnswerBytes callers get its beginning; the rest comes in parts and is a file', async () => {
  const whole = `x${'😀'.repeat(20_000)}y`
  const settings = { maxAnswerBytes: 20_000 }
  await using iris = await TestIris.start({
    claude: 'either',
    script: () => ({ text: whole }),
    teams: { backend: {} },
    settings,
  })
  const answer = await ask(iris, 'backend', 'Tell me all.')
  const { turnId, sessionId, response, detail } = answer as typeof answer & { response: string; detail: string }
  const beginning = `x${'😀'.repeat(4999)}`
  expect(response).toBe(
    `${beginning}\n\n[Iris: this is the beginning of a text of ${whole.length} characters. message_status returns the rest in parts: turnId ${turnId}, from ${beginning.length}.]`,
  )
  const file = join(iris.world.home, 'output_streams', sessionId, 'answers', `${turnId}.md`)
  expect(detail).toBe(`Its text is longer than settings.maxAnswerBytes (20000); the whole text is in ${file}.`)
  expect(readFileSync(file, 'utf8')).toBe(whole)

  await iris.restart()
  const headers = { authorization: `Bearer ${iris.token}` }
  const get = async (path: string) =>
    (await (await fetch(`http://127.0.0.1:${iris.port}${path}`, { headers })).json()) as Record<string, unknown>
  expect(await get(`/api/turns/${turnId}`)).toMatchObject({ response, detail })
  const page = await callTool(iris, 'session_report', { team: 'backend' })
  expect(page['entries']).toMatchObject([{ response: expect.stringMatching(/… \(\d+ more bytes\)$/) }])
  let text = beginning
  for (let from: number | undefined = beginning.length; from !== undefined; ) {
    const part = (await callTool(iris, 'message_status', { turnId, from })) as unknown as Part
    text += part.response
    from = part.part.next
  }
  expect(text).toBe(whole)
  expect(await get(`/api/turns/${turnId}?from=${whole.length - 3}`)).toMatchObject({ response: '😀y' })
  const everything = await callTool(iris, 'message_status', { turnId, everything: true, from: whole.length - 1 })
  expect(everything).toMatchObject({ everything: 'y', part: { length: whole.length } })
  const shown = await runCommand(iris.world, ['result', turnId, '--from', String(whole.length - 1)])
  expect(shown.stdout.trim()).toBe('y')

  await callTool(iris, 'session_delete', { team: 'backend', deleteTranscripts: true })
  expect(existsSync(file)).toBe(false)
})
