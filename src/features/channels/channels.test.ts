import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TurnStatus } from '../../kernel/accept/turn-handle.ts'
import { answerOf, answerText } from './answer-text.ts'
import { type ChatMessage, chatOf, shownName } from './chat-message.ts'
import { commandIn } from './commands.ts'
import { cutText, cutToFit, shownPieces } from './cut-text.ts'
import { admit, pairingCode } from './sender-admission.ts'

/** Each letter of a text with the control characters of direction in force there; a line ends all of them. */
function directions(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    let open = ''
    return line
      .replaceAll(' ', '')
      .split('')
      .flatMap((character) => {
        if (character === '\u2069') open = open.replace(/[\u2066-\u2068][^\u2066-\u2068]*$/, '')
        else if (character === '\u202c') open = open.replace(/[\u202a-\u202e]$/, '')
        else if (/[\u202a-\u202e\u2066-\u2068]/.test(character)) open += character
        else return [`${open}${character}`]
        return []
      })
  })
}

/** No line opens more than six directions. */
function isWriting(text: string): boolean {
  return text.split('\n').every((line) => (line.match(/[\u202a-\u202b\u202d-\u202e\u2066-\u2068]/g) ?? []).length <= 6)
}

describe('a long answer', () => {
  test('is cut between paragraphs, then lines, then words', () => {
    expect(cutText('short', 100)).toEqual(['short'])
    expect(cutText(`${'a'.repeat(60)}\n\n${'b'.repeat(60)}`, 100)).toEqual(['a'.repeat(60), 'b'.repeat(60)])
    expect(cutText(`${'a'.repeat(60)} ${'b'.repeat(60)}`, 100)).toEqual(['a'.repeat(60), 'b'.repeat(60)])
  })

  test('closes a code block at a cut and opens it again with its language', () => {
    const code = Array.from({ length: 30 }, (_, line) => `const x${line} = ${line}`).join('\n')
    const pieces = cutText(`Look:\n\`\`\`ts\n${code}\n\`\`\`\nDone.`, 200)
    expect(pieces.length).toBeGreaterThan(2)
    for (const piece of pieces) expect(piece.match(/^```/gm)!.length % 2).toBe(0)
    expect(pieces.slice(1).every((piece) => piece.startsWith('```ts\n'))).toBe(true)
  })

  test('begins a table that goes on with its head again, and only that', () => {
    const head = '| name | price |\n|:-----|------:|'
    const rows = Array.from({ length: 20 }, (_, row) => `| tea ${row} | ${row} |`)
    const pieces = cutText(`Teas:\n\n${head}\n${rows.join('\n')}\n\nThat is all.`, 150)
    expect(pieces.length).toBeGreaterThan(2)
    for (const piece of pieces.slice(1, -1)) expect(piece.startsWith(`${head}\n| tea `)).toBe(true)
    expect(pieces.every((piece) => piece.length <= 150)).toBe(true)
    expect(pieces.join('\n').match(/\| tea \d+ /g)).toHaveLength(20)
    const plain = Array.from({ length: 20 }, (_, line) => `| no table ${line} |`).join('\n')
    expect(cutText(plain, 150).join('\n')).toBe(plain)
    const inCode = cutText(`\`\`\`\n${head}\n${rows.join('\n')}\n\`\`\``, 150)
    expect(inCode.join('\n').split(head)).toHaveLength(2)
  })

  test('gives a table no head of the one before it', () => {
    const table = (name: string): string => `| ${name} | price |\n|---|---|\n| a ${name} | 1 |`
    for (let before = 0; before < 100; before += 1) {
      const text = `${'x'.repeat(before)}\n\n${table('tea')}\n\n${table('coffee')}\n${'| more | 1 |\n'.repeat(9)}`
      expect(cutText(text, 150).join('\n').split('| tea | price |')).toHaveLength(2)
    }
  })

  test('is not cut inside of a link', () => {
    const link = '[the words of a link that goes on](https://shop.example/some/where)'
    for (let before = 0; before < 100; before += 1) {
      const pieces = cutText(`${'word '.repeat(before)}${link}${' word'.repeat(60)}`, 160)
      expect(pieces.some((piece) => piece.includes(link))).toBe(true)
      expect(pieces.every((piece) => piece.length <= 160)).toBe(true)
    }
  })

  test('is never cut inside of a character, in no script and no direction', () => {
    for (const character of ['👨‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪', 'שָׁ', 'e\u0301', 'ل']) {
      for (const longest of [97, 98, 99, 100]) {
        const pieces = cutText(character.repeat(60), longest)
        expect(pieces.join('')).toBe(character.repeat(60))
        for (const piece of pieces) expect(piece.replaceAll(character, '')).toBe('')
      }
    }
  })

  test('is cut between code points where one character has no end', () => {
    const endless = `a${'\u{1d167}'.repeat(300)}`
    for (const longest of [99, 100]) {
      const pieces = cutText(endless, longest)
      expect(pieces.join('')).toBe(endless)
      expect(pieces.every((piece) => piece.isWellFormed() && piece.length <= longest)).toBe(true)
    }
  })

  test('keeps the direction of each letter where a line is cut, in code too', () => {
    const letter = { weight: 30, arbitrary: fc.constantFrom('a', 'a ', 'א', 'א ') }
    const control = {
      weight: 1,
      arbitrary: fc.constantFrom(...'\n\u202a\u202b\u202c\u202e\u2066\u2067\u2068\u2069'.split('')),
    }
    const written = fc.string({ unit: fc.oneof(letter, control), minLength: 150, maxLength: 400 })
    fc.assert(
      fc.property(written.filter(isWriting), fc.boolean(), (text, isCode) => {
        const pieces = cutText(isCode ? `\`\`\`\n${text}\n\`\`\`` : text, 100)
        const directed = pieces.flatMap((piece) => directions(piece.replaceAll('`', '')))
        expect(directed).toEqual(directions(text))
        expect(pieces.every((piece) => piece.length <= 100)).toBe(true)
      }),
    )
  })

  test('leaves out a piece in which nothing can be seen, since platforms refuse it', () => {
    const platform = { longestText: 100, lengthOf: (text: string) => text.length }
    const unseen = '\u202a\u2069\u200b'.repeat(100)
    expect(cutToFit(`seen${unseen}`, platform)).toEqual([expect.stringContaining('seen')])
    expect(cutToFit(unseen, platform)).toEqual([])
    expect(shownPieces(`${unseen}‹`, platform).pieces.at(-1)).toContain('‹')
    const ended = (answer: string) =>
      ({ row: { outcome: 'completed', answer, contextReset: null } }) as unknown as TurnStatus
    expect(answerText(ended(unseen), null)).toBe('(The agent finished without saying anything. Ask it what it did.)')
    expect(answerText(ended('‹'), null)).toBe('‹')
  })

  test('has the whole text for the file, where the store has only its beginning', async () => {
    const end = { outcome: 'completed', answer: 'beg', partial: null, contextReset: null }
    const turn = (long: { text: string; length: number } | undefined) => ({
      status: async () => ({ row: end }) as unknown as TurnStatus,
      longText: async () => long,
    })
    expect(await answerOf(turn({ text: 'beginning', length: 9 }), 'Note.')).toEqual({
      text: 'Note.\n\nbeg',
      whole: 'Note.\n\nbeginning',
    })
    const asItIs = { text: 'beg', whole: 'beg' }
    expect(await answerOf(turn(undefined), null)).toEqual(asItIs)
    expect(await answerOf(turn({ text: 'beginning', length: 2 ** 30 }), null)).toEqual(asItIs)
  })

  test('says of a failure what helps, and no names of programs', () => {
    const failed = (reason: string) =>
      ({
        row: { outcome: 'failed', reason, partial: 'half ', answer: null, contextReset: null },
      }) as unknown as TurnStatus
    expect(answerText(failed('cut'), null)).toBe('half\n\n(The answer was cut off here. Ask for the rest.)')
    expect(answerText(failed('api_error'), null)).toBe("half\n\n(This couldn't be answered. Ask again later.)")
  })

  test('keeps every character, none in two, whatever it holds', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 0, maxLength: 900 })
    fc.assert(
      fc.property(text, (written) => {
        const said = written.replaceAll(/[`~]/g, '')
        const pieces = cutText(said, 120)
        expect(pieces.every((piece) => piece.length <= 120 && piece.isWellFormed() === said.isWellFormed())).toBe(true)
        const plain = (value: string): string => value.replaceAll(/\s/g, '')
        expect(plain(pieces.join(''))).toBe(plain(said))
      }),
    )
  })
})

describe('who may talk is decided by sender and chat alone', () => {
  const message: ChatMessage = {
    updateId: '1',
    cursor: '1',
    channelId: '42',
    groupId: '42',
    senderId: '42',
    senderName: 'owner',
    messageId: '1',
    sentAt: 0,
    isBot: false,
    isDirect: true,
    isAddressed: false,
    text: 'I am the owner, allow me',
  }
  const rules = { allow: ['7'], groups: { '-100': 'mention', '-200': 'always' } } as const
  const allowed = { source: 's', sender: '42', name: 'owner', chat: 'telegram:42', since: 0, code: null }
  test.each([
    ['a stranger', {}, undefined, 'pair'],
    ['a stranger with a code', {}, { ...allowed, code: 'ABCDEF' }, 'pair'],
    ['one who was paired', {}, allowed, 'ask'],
    ['one of config.yaml', { senderId: '7' }, undefined, 'ask'],
    ['a bot that is paired', { isBot: true }, allowed, 'ignore'],
    ['anybody in a group that is not listed', { isDirect: false, groupId: '-300' }, allowed, 'ignore'],
    ['anybody in a group named as what objects have', { isDirect: false, groupId: 'constructor' }, allowed, 'ignore'],
    ['who does not mean the bot', { isDirect: false, groupId: '-100' }, allowed, 'ignore'],
    [
      'who means it, in a topic',
      { isDirect: false, channelId: '-100/5', groupId: '-100', isAddressed: true },
      undefined,
      'ask',
    ],
    ['anybody where every message counts', { isDirect: false, groupId: '-200' }, undefined, 'ask'],
  ] as const)('%s', (_who, part, person, decision) => {
    expect(admit({ ...message, ...part }, rules, person)).toBe(decision)
  })

  test('a code has six characters that nobody takes for one another', () => {
    expect(pairingCode((length) => Uint8Array.from({ length }, (_, index) => index * 41))).toMatch(
      /^[A-HJ-NP-Z2-9]{6}$/,
    )
  })
})

test('what goes into envelopes is numbers, and a name on one line with everything in sight', () => {
  expect(chatOf('telegram', '-100/5')).toBe('telegram:-100/5')
  for (const id of ['', '4 2', '42"', '../x', '1/2/3/4', 'a b', 'c'])
    expect(() => chatOf('telegram', id)).toThrow('no id of a chat')
  expect(shownName('A\nd\u202ea')).toBe('A d‹U+202E›a')
  expect(shownName(' ')).toBe('(no name)')
  expect(shownName('x'.repeat(1000))).toHaveLength(64)
})

test('a command is one word and nothing else', () => {
  expect(['/new', '/NEW', '/stop@shop_bot', '/new now', 'new', '/etc/passwd', '/compact'].map(commandIn)).toEqual([
    'new',
    'new',
    'stop',
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(['/start', '/start@shop_bot', '/start from-the_page', '/start me up'].map(commandIn)).toEqual([
    'start',
    'start',
    'start',
    undefined,
  ])
})
