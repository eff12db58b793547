import { expect, test } from 'vitest'
import type { Broken } from '../../base/protocol/broken.ts'
import type { Need } from '../../base/protocol/inbox-needs.ts'
import { openSeams } from '../session/seams.ts'
import type { Call } from './call.ts'
import { Composition } from './composition.ts'
import type { AllEventTexts } from './event-texts.ts'
import { feature, type Opened } from './feature.ts'

const fault = (): never => {
  throw new TypeError('a fault of the feature')
}

const broken: Broken = { kind: 'machine', teams: ['a'], what: 'It is away.', remedy: 'Start it.' }
const need: Need = { kind: 'failed', id: 't', sessionId: 's', at: 1 }
const text = { context: 'session', level: 'info', message: 'It happened.', ids: {} } as const

/** A feature that throws wherever it takes part, and one after it that works. */
function composed(throwing: Partial<Opened<object>>) {
  const noted: string[] = []
  const called: string[] = []
  const eventTexts: AllEventTexts = new Map()
  const faults = {
    note: (name: string, what: string) => void noted.push(`${name} ${what}`),
    countOf: () => noted.length,
  }
  const texts = { log: () => text }
  const works: Opened<object> = {
    gives: {},
    broken: () => [broken],
    needs: () => [need],
    afterCall: (_name, result) => ({ ...result, added: true }),
    begin: () => called.push('begin'),
    changed: () => void called.push('changed'),
    quiet: () => called.push('quiet'),
    end: () => called.push('end'),
    ended: () => called.push('ended'),
    close: () => void called.push('close'),
    storePutBack: () => void called.push('storePutBack'),
  }
  const of = (opened: Opened<object>) => () => opened
  const features = new Composition({ seams: openSeams(), eventTexts, faults })
    .with(feature('before', of(works)))
    .with(
      feature('faulty', { events: { 'turn-accepted': { log: fault, audit: fault } } }, of({ gives: {}, ...throwing })),
    )
    .with(feature('after', { events: { 'turn-settled': texts } }, of(works)))
  return { features, noted, called, eventTexts }
}

test('what a feature throws when it says what is broken, or what needs the owner, hides nothing of the others', () => {
  const { features, noted } = composed({ isOn: fault, broken: fault, needs: fault })
  expect(features.parts.brokenNow()).toEqual([broken, broken])
  expect(features.parts.needsNow([])).toEqual([need, need])
  expect(noted).toEqual(['faulty broken', 'faulty needs'])
  expect(features.list.map(({ name, isOn }) => [name, isOn])).toEqual([
    ['before', true],
    ['faulty', true],
    ['after', true],
  ])
})

test('what a feature throws after a call leaves the answer, with what others add', () => {
  const { features, noted } = composed({ afterCall: fault })
  const answer = features.afterCall.reduce((result, add) => add('get_health', result, {}, {} as Call), {
    ok: 1,
  } as Record<string, unknown>)
  expect(answer).toEqual({ ok: 1, added: true })
  expect(noted).toEqual(['faulty afterCall'])
})

test('what the text of an event throws is noted, and says nothing', () => {
  const { noted, eventTexts } = composed({})
  const said = eventTexts.get('turn-accepted')!
  expect([said.log?.({} as never), said.audit?.({} as never)]).toEqual([undefined, undefined])
  expect(noted).toEqual(['faulty events', 'faulty events'])
  expect(eventTexts.get('turn-settled')?.log?.({} as never)).toEqual(text)
})

const moments: readonly (readonly [moment: keyof Opened<object>, run: (features: Composition<never>) => unknown])[] = [
  ['begin', (features) => features.begin(Promise.resolve())],
  ['changed', (features) => features.changed()],
  ['storePutBack', (features) => features.storePutBack()],
  ['quiet', (features) => features.quiet()],
  ['end', (features) => features.end()],
  ['ended', (features) => features.ended()],
  ['close', (features) => features.close()],
]

test.each(moments)('what a feature throws in %s keeps no other from it', async (moment, run) => {
  const { features, noted, called } = composed({ [moment]: fault })
  await run(features as unknown as Composition<never>)
  expect(called).toEqual([moment, moment])
  expect(noted).toEqual([`faulty ${moment}`])
})

test('what a feature rejects with in a moment that is awaited is noted too', async () => {
  const { features, noted } = composed({
    begin: () => Promise.reject(new TypeError('later')),
    end: async () => fault(),
  })
  await features.begin(Promise.resolve())
  await features.end()
  expect(noted).toEqual(['faulty begin', 'faulty end'])
})
