import type { MessageEntity } from 'grammy/types'
import { type Block, markdownBlocks, type Run } from '../../../base/lib/markdown.ts'

/** A text as Telegram shows it. Offsets are in UTF-16 units. */
export interface EntityText {
  readonly text: string
  readonly entities: MessageEntity[]
}

/** Beyond this number Telegram ignores some entities, and it is unknown which. */
const maxEntities = 100
const looks = { bold: 'bold', italic: 'italic', strike: 'strikethrough', code: 'code' } as const

/**
 * Markdown as Telegram's entities. The text itself then contains no markup, so nothing that an agent writes can break
 * out of it. If undefined, the text is shown as it was written.
 */
export function entityText(markdown: string, longest: number): EntityText | undefined {
  const blocks = markdownBlocks(markdown)
  if (blocks === undefined) return undefined
  const entities: MessageEntity[] = []
  let text = ''
  for (const block of blocks) {
    if (text !== '') text += '\n'
    const offset = text.length
    if (block.kind === 'code') {
      text += block.text
      const language = block.language.split(/\s/)[0]!
      entities.push({ type: 'pre', offset, length: block.text.length, ...(language !== '' && { language }) })
    } else {
      text += textOf(block)
      if (block.kind === 'quote') entities.push({ type: 'blockquote', offset, length: text.length - offset })
      entities.push(...entitiesOf(block.runs, offset))
    }
  }
  if (text.trim() === '' || text.length > longest || entities.length > maxEntities) return undefined
  return { text, entities }
}

function textOf({ runs }: Extract<Block, { runs: unknown }>): string {
  return runs.map(({ text }) => text).join('')
}

/** One entity for each stretch of text with the same look. */
function entitiesOf(runs: readonly Run[], start: number): MessageEntity[] {
  const found: MessageEntity[] = []
  for (const [look, type] of Object.entries(looks) as [keyof typeof looks, (typeof looks)[keyof typeof looks]][]) {
    let offset = start
    for (const { text, ...run } of runs) {
      const last = found.at(-1)
      if (run[look] && last?.type === type && last.offset + last.length === offset) last.length += text.length
      else if (run[look] && text.trim() !== '') found.push({ type, offset, length: text.length })
      offset += text.length
    }
  }
  return found
}
