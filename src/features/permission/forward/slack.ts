import type { PermissionView } from '../../../base/protocol/permission-view.ts'
import { cutNote, fitting, howToAnswer, questionRows, title } from './question-words.ts'

// The limits of Slack: docs.slack.dev, "Block Kit", header, section and context.
const limits = { header: 150, section: 3000, field: 2000, context: 2000 } as const

/**
 * The question for an incoming webhook of Slack. Text from agents is escaped; in blocks it is always `plain_text`,
 * which has no mentions, links or formatting.
 */
export function slackMessage(view: PermissionView): object {
  const input = fitting(view.shown, limits.section, escaped)
  const note = cutNote(view.shown, input)
  const fields = questionRows(view).map(([name, text]) => plainText(`${name}: ${text}`, limits.field))
  return {
    text: escaped(title(view)),
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plainText(title(view), limits.header) },
      { type: 'section', text: plainText(input === '' ? '(no input)' : input, limits.section) },
      ...(note === undefined ? [] : [{ type: 'section', text: plainText(note, limits.section) }]),
      { type: 'section', fields },
      { type: 'context', elements: [until(view.deadline), plainText(howToAnswer(view), limits.context)] },
    ],
  }
}

function plainText(text: string, limit: number): object {
  return { type: 'plain_text', text: escaped(fitting(text, limit, escaped)), emoji: false }
}

/** Slack shows the time in the reader's time zone. */
function until(deadline: number): object {
  const text = `Until <!date^${Math.floor(deadline / 1000)}^{date_short_pretty} {time_secs}|${new Date(deadline).toISOString()}>, then it is denied.`
  return { type: 'mrkdwn', text }
}

/** Escapes the three characters that Slack interprets even in plain text. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
