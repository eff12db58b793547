import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import { cutNote, fitting, howToAnswer, questionRows, title } from './question-words.ts'

// Discord allows 256 characters of title, 4096 of description, 1024 per field, and 6000 in all. With these limits a
// message stays below that, including the names of the fields and Iris's own sentences.
const limits = { title: 256, description: 3600, field: 240 } as const

/** The question for a webhook of Discord. Text from agents is code, or escaped in the title, and mentions nobody. */
export function discordMessage(view: PermissionView): object {
  const input = fitting(view.shown, limits.description, fenced)
  const note = cutNote(view.shown, input)
  const seconds = Math.floor(view.deadline / 1000)
  const rows = questionRows(view).map(([name, text]) => ({ name, value: code(fitting(text, limits.field, code)) }))
  const notes = note === undefined ? [] : [{ name: 'Careful', value: note }]
  const until = { name: 'Until', value: `<t:${seconds}:T> (<t:${seconds}:R>), then it is denied.` }
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: escaped(fitting(title(view), limits.title, escaped)),
        description: fenced(input),
        fields: [...notes, ...rows, until],
        footer: { text: howToAnswer(view) },
      },
    ],
  }
}

function fenced(text: string): string {
  return `\`\`\`\n${unticked(text)}\n\`\`\``
}

function code(text: string): string {
  return `\`${unticked(text).replaceAll('\n', ' ')}\``
}

/** A backtick would end the code; this letter looks like one. */
function unticked(text: string): string {
  return text.replaceAll('`', '\u02cb')
}

/** Escapes everything that Discord's Markdown could interpret. */
function escaped(text: string): string {
  return text.replace(/[\\`*_~|<>[\]()#:@-]/g, '\\$&')
}
