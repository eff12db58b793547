import { expect, test } from 'vitest'
import { readChange } from './read-change.ts'

const place = { me: { user: 'U0SHOPBOT', team: 'T0SHOP' }, channel: 'C0SHOP', cursor: '0' }
const message = { ts: '1700000000.000100', user: 'U0ADA42', text: 'one', thread_ts: '1699999999.000100' }
const edited = { ...message, text: 'two', edited: { user: 'U0ADA42', ts: '1700000001.000000' } }
const event = { type: 'message', ts: '1700000001.000200', subtype: 'message_changed' }
const where = { channelId: 'T0SHOP/C0SHOP/1699999999.000100', messageId: message.ts, senderId: 'U0ADA42' }

test('an edit has the words that the message has now, and where it is', () => {
  expect(readChange({ ...event, message: edited, previous_message: message }, place)).toMatchObject({
    ...where,
    version: 1_700_000_001_000_200,
    now: { text: 'two', channelId: where.channelId },
  })
})

test('what changes no words of a person is none: the preview of a link, a reply below, another event', () => {
  const shown = { ...edited, attachments: [{ title: 'Shop' }] }
  expect(readChange({ ...event, message: shown, previous_message: edited }, place)).toBeUndefined()
  expect(readChange({ ...event, message: { ...message, text: 'two' } }, place)).toBeUndefined()
  expect(readChange({ ...event, subtype: 'message_replied', message }, place)).toBeUndefined()
})

test('a deletion, of a message with a thread too, which stays as a tombstone', () => {
  const gone = { ...event, subtype: 'message_deleted', deleted_ts: message.ts, previous_message: message }
  expect(readChange(gone, place)).toMatchObject({ ...where, now: undefined })
  const tombstone = { ...message, subtype: 'tombstone', text: 'This message was deleted.' }
  const stays = { ...event, message: tombstone, previous_message: message }
  expect(readChange(stays, place)).toMatchObject({ ...where, now: undefined })
})
