import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { visible } from '../../../base/lib/visible.ts'
import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import { discordMessage } from './discord.ts'
import { slackMessage } from './slack.ts'

const now = 1_700_000_000_000

/** A simple form of what Iris shows of an input. */
function shownInput(input: Record<string, unknown>): string {
  return Object.entries(input)
    .map(([name, value]) => `${visible(name)}: ${visible(String(value))}`)
    .join('\n')
}

function question(input: Record<string, unknown>, more: Partial<PermissionView> = {}): PermissionView {
  return {
    permissionId: '4f0c1d1e-0000-4000-8000-000000000001',
    state: 'pending',
    team: 'backend',
    from: 'frontend',
    chain: ['frontend', 'backend'],
    sessionId: 's',
    turnId: 't',
    rootTurnId: 't',
    toolName: 'Bash',
    input,
    shown: shownInput(input),
    inputHash: 'ab'.repeat(32),
    directory: '/home/ada/shop',
    blockedPath: null,
    risks: [],
    rule: null,
    suggestions: [],
    askedAt: now,
    deadline: now + 600_000,
    decidedBy: null,
    decidedAt: null,
    scope: null,
    updatedInput: null,
    message: null,
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

/** Violations of Slack's Block Kit reference, and text of an agent that Slack would interpret. */
function slackBreaches({ text, blocks }: Slack): string[] {
  const breaches = (what: string, longest: number, one: Text): string[] => {
    // The only text in mrkdwn is Iris's own: the date.
    const isOwn = /^Until <!date\^\d+\^[^<>]*\|[\dTZ:.-]+>, then it is denied\.$/.test(one.text)
    const isPlain = one.type === 'plain_text' && !/[<>]|&(?!amp;|lt;|gt;)/.test(one.text)
    return [
      ...(one.text.length > 0 && one.text.length <= longest ? [] : [`${what} of ${one.text.length} characters`]),
      ...(isPlain || (one.type === 'mrkdwn' && isOwn) ? [] : [`${what}: ${one.text}`]),
    ]
  }
  return [
    ...(text.length <= 40_000 && blocks.length <= 50 ? [] : ['too much']),
    ...blocks.flatMap(({ type, text: main, fields = [], elements = [] }) => [
      ...(main ? breaches(type, type === 'header' ? 150 : 3000, main) : []),
      ...(fields.length <= 10 && elements.length <= 10 ? [] : [`${type} of too many parts`]),
      ...[...fields, ...elements].flatMap((one) => breaches(`part of ${type}`, 2000, one)),
    ]),
  ]
}

/** Violations of Discord's reference of embeds. */
function discordBreaches({ content = '', allowed_mentions, embeds }: Discord): string[] {
  const [embed] = embeds
  const { title, description, fields, footer } = embed!
  const texts = [title, description, footer.text, ...fields.flatMap(({ name, value }) => [name, value])]
  const rules: Record<string, boolean> = {
    'one embed': embeds.length === 1 && content === '',
    'calls nobody': isDeepStrictEqual(allowed_mentions, { parse: [] }),
    'all of it': texts.join('').length <= 6000,
    title: title.length <= 256,
    description: description.length <= 4096 && /^```\n[^`]*\n```$/.test(description),
    footer: footer.text.length <= 2048,
    fields: fields.length <= 25,
    names: fields.every(({ name }) => name.length > 0 && name.length <= 256),
    values: fields.every(({ value }) => value.length > 0 && value.length <= 1024),
  }
  return Object.keys(rules).filter((rule) => !rules[rule])
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
      expect(text).toContain(`iris allow ${view.permissionId}`)
      expect(text).toContain(view.inputHash)
      expect(text).toContain('1700000600')
      expect(text).not.toContain('NOT ALL')
    }
  })

  test('lets no text of an agent call anybody, link, hide or pass for the message itself', () => {
    const view = question({ command: hostile }, { directory: `/srv/${hostile}`, toolName: hostile, risks: [hostile] })
    expect(slackBreaches(slack(view))).toEqual([])
    expect(discordBreaches(discord(view))).toEqual([])
    for (const message of [slackMessage(view), discordMessage(view)]) {
      expect(JSON.stringify(message)).not.toMatch(/[\u202e\u2066\u200b]|\\u001b/)
      expect(JSON.stringify(message)).toContain('‹U+202E›')
      expect(JSON.stringify(message)).toContain('‹U+000A›safe')
    }
    const [{ title, fields }] = discord(view).embeds as [Discord['embeds'][0]]
    expect(title).not.toMatch(/(?<!\\)[`*_~|<>[\]@]/)
    const bare = fields.filter(({ value }) => !/^`[^`\n]*`$/.test(value)).map(({ name }) => name)
    expect(bare).toEqual(['Until'])
    for (const { text, fields: rows = [] } of slack(view).blocks) {
      for (const one of [...(text ? [text] : []), ...rows]) expect(one.type).toBe('plain_text')
    }
  })

  test.each(['x', '<', '&', '`', '\u202e', '👩‍💻', '\n'])(
    'says that it does not show all of a long input of %j',
    (character) => {
      const view = question({ command: `${character.repeat(20_000)}rm -rf /` })
      expect(slackBreaches(slack(view))).toEqual([])
      expect(discordBreaches(discord(view))).toEqual([])
      for (const message of [slackMessage(view), discordMessage(view)]) {
        expect(JSON.stringify(message)).toContain('NOT ALL OF IT IS SHOWN')
        expect(JSON.stringify(message).isWellFormed()).toBe(true)
      }
    },
  )

  test('of any input stays inside what the chats take', () => {
    const text = fc.string({
      unit: fc.oneof(fc.constantFrom(...hostile.split('')), fc.string({ unit: 'binary', maxLength: 1 })),
      size: 'max',
      maxLength: 5000,
    })
    const breaches = fc.property(
      fc.dictionary(text, text, { maxKeys: 3 }),
      text,
      text,
      (input, directory, toolName) => {
        const view = question(input, { directory, toolName, risks: [directory, toolName], blockedPath: toolName })
        return [...slackBreaches(slack(view)), ...discordBreaches(discord(view))].length === 0
      },
    )
    expect(fc.check(breaches, { numRuns: 20, seed: 1 })).toMatchObject({ failed: false })
  })
})
