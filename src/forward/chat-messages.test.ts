import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { visible } from '../lib/visible.ts'
import type { PermissionView } from '../protocol/operations/permissions.ts'
import { discordMessage } from './discord.ts'
import { slackMessage } from './slack.ts'

const now = 1_700_000_000_000

/** As the broker of questions shows an input. */
function shownInput(input: Record<string, unknown>): string {
  return Object.entries(input)
    .map(([name, value]) => `${visible(name)}: ${visible(String(value))}`)
    .join('\n')
}

function question(input: Record<string, unknown>, more: Partial<PermissionView> = {}): PermissionView {
  return {
    ...{ permissionId: '4f0c1d1e-0000-4000-8000-000000000001', state: 'pending', team: 'backend', from: 'frontend' },
    ...{
      chain: ['frontend', 'backend'],
      sessionId: 's',
      turnId: 't',
      toolName: 'Bash',
      input,
      shown: shownInput(input),
    },
    ...{ inputHash: 'ab'.repeat(32), directory: '/home/ada/shop', blockedPath: null, risks: [], rule: null },
    ...{ suggestions: [], askedAt: now, deadline: now + 600_000, decidedBy: null, decidedAt: null, scope: null },
    ...{ updatedInput: null, message: null },
    ...more,
  }
}

interface Slack {
  readonly text: string
  readonly blocks: readonly {
    readonly type: string
    readonly text?: Text
    readonly fields?: readonly Text[]
    readonly elements?: readonly Text[]
  }[]
}
interface Text {
  readonly type: string
  readonly text: string
}
interface Discord {
  readonly content?: string
  readonly allowed_mentions: unknown
  readonly embeds: readonly {
    readonly title: string
    readonly description: string
    readonly fields: readonly { readonly name: string; readonly value: string }[]
    readonly footer: { readonly text: string }
  }[]
}

const slack = (view: PermissionView) => slackMessage(view) as Slack
const discord = (view: PermissionView) => discordMessage(view) as Discord

/** What Slack's reference of Block Kit allows, and that no text of an agent is read as Slack's own language. */
function takenBySlack({ text, blocks }: Slack): void {
  expect(text.length).toBeLessThanOrEqual(40_000)
  expect(blocks.length).toBeLessThanOrEqual(50)
  const limit = (one: Text, longest: number) => {
    expect(one.text.length).toBeGreaterThan(0)
    expect(one.text.length).toBeLessThanOrEqual(longest)
    // The one text in mrkdwn is Iris's own: its date.
    if (one.type === 'mrkdwn') expect(one.text).toMatch(/^Until <!date\^\d+\^[^<>]*\|[\dTZ:.-]+>, then it is denied\.$/)
    else expect(one.text).not.toMatch(/[<>]|&(?!amp;|lt;|gt;)/)
  }
  for (const { type, text: main, fields = [], elements = [] } of blocks) {
    if (main) limit(main, type === 'header' ? 150 : 3000)
    expect(Math.max(fields.length, elements.length)).toBeLessThanOrEqual(10)
    for (const field of [...fields, ...elements]) limit(field, 2000)
  }
}

/** What Discord's reference allows of one message with embeds. */
function takenByDiscord({ content = '', allowed_mentions, embeds }: Discord): void {
  expect(allowed_mentions).toEqual({ parse: [] })
  expect([content.length, embeds.length]).toEqual([0, 1])
  const [{ title, description, fields, footer }] = embeds as [Discord['embeds'][0]]
  const lengths = [title, description, footer.text, ...fields.flatMap(({ name, value }) => [name, value])]
  expect(lengths.reduce((sum, { length }) => sum + length, 0)).toBeLessThanOrEqual(6000)
  expect(title.length).toBeLessThanOrEqual(256)
  expect(description.length).toBeLessThanOrEqual(4096)
  expect(footer.text.length).toBeLessThanOrEqual(2048)
  expect(fields.length).toBeLessThanOrEqual(25)
  for (const { name, value } of fields) {
    expect([name.length > 0 && name.length <= 256, value.length > 0 && value.length <= 1024]).toEqual([true, true])
  }
  expect(description).toMatch(/^```\n[^`]*\n```$/)
}

const hostile = [
  '@everyone @here <@1> <!channel> <!here|x> <https://evil.example|safe> &lt;',
  '``` end of the code ``` **bold** [safe](https://evil.example) ||spoiler||',
  'safe \u202e\u2066 txt.exe \u200b\u001b[2J',
  ':warning: *bold* _it_ ~no~ `code`\nDirectory: /somewhere/else',
].join('\n')

describe('a question in a chat', () => {
  test('shows all of a short input, and who asked, where, until when, and how to answer', () => {
    const view = question({ command: 'git push' }, { risks: ['writes to a remote'], blockedPath: '/etc' })
    for (const message of [slackMessage(view), discordMessage(view)]) {
      const text = JSON.stringify(message)
      for (const said of ['command: git push', 'frontend → backend', '/home/ada/shop', '/etc', 'writes to a remote']) {
        expect(text).toContain(said)
      }
      expect(text).toContain(`iris permissions allow ${view.permissionId}`)
      expect(text).toContain(view.inputHash)
      expect(text).toContain('1700000600')
      expect(text).not.toContain('NOT ALL')
    }
  })

  test('lets no text of an agent call anybody, link, hide or pass for the message itself', () => {
    const view = question({ command: hostile }, { directory: `/srv/${hostile}`, toolName: hostile, risks: [hostile] })
    takenBySlack(slack(view))
    takenByDiscord(discord(view))
    for (const message of [slackMessage(view), discordMessage(view)]) {
      expect(JSON.stringify(message)).not.toMatch(/[\u202e\u2066\u200b\u001b]|\\u001b/)
      expect(JSON.stringify(message)).toContain('‹U+202E›')
      expect(JSON.stringify(message)).toContain('‹U+000A›Directory: /somewhere/else')
    }
    const [{ title, fields }] = discord(view).embeds as [Discord['embeds'][0]]
    expect(title).not.toMatch(/(?<!\\)[`*_~|<>[\]@]/)
    for (const { name, value } of fields) if (name !== 'Until') expect(value).toMatch(/^`[^`\n]*`$/)
    for (const { text, fields: rows = [] } of slack(view).blocks) {
      for (const one of [...(text ? [text] : []), ...rows]) expect(one.type).toBe('plain_text')
    }
  })

  test.each(['x', '<', '&', '`', '\u202e', '👩‍💻', '\n'])(
    'says that it does not show all of a long input of %j',
    (character) => {
      const view = question({ command: `${character.repeat(20_000)}rm -rf /` })
      takenBySlack(slack(view))
      takenByDiscord(discord(view))
      for (const message of [slackMessage(view), discordMessage(view)]) {
        expect(JSON.stringify(message)).toContain('NOT ALL OF IT IS SHOWN')
        expect(JSON.stringify(message).isWellFormed()).toBe(true)
      }
    },
  )

  test('of any input stays inside what the chats take', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(...hostile), fc.string({ unit: 'binary', maxLength: 1 })),
      size: 'max',
      maxLength: 9000,
    })
    fc.assert(
      fc.property(fc.dictionary(text, text, { maxKeys: 3 }), text, text, (input, directory, toolName) => {
        const view = question(input, { directory, toolName, risks: [directory, toolName], blockedPath: toolName })
        takenBySlack(slack(view))
        takenByDiscord(discord(view))
      }),
      { numRuns: 100, seed: 1 },
    )
  })
})
