import type { RichTextBlock, RichTextElement } from '@slack/web-api'
import { markdownBlocks, type Run } from '../../../base/lib/markdown.ts'

/**
 * Markdown as Slack's rich text. Its texts contain no markup and no mentions, and a link shows its address. If
 * undefined, the text is shown as it was written.
 */
export function richText(markdown: string): RichTextBlock | undefined {
  const blocks = markdownBlocks(markdown)
  if (blocks === undefined || blocks.length === 0) return undefined
  return {
    type: 'rich_text',
    elements: blocks.map((block) =>
      block.kind === 'code'
        ? { type: 'rich_text_preformatted', elements: [{ type: 'text', text: block.text }] }
        : {
            type: block.kind === 'quote' ? 'rich_text_quote' : 'rich_text_section',
            elements: block.runs.map(elementOf),
          },
    ),
  }
}

function elementOf({ text, url, ...style }: Run): RichTextElement {
  if (url) return { type: 'link', url: text }
  return { type: 'text', text, ...(Object.keys(style).length > 0 && { style }) }
}
