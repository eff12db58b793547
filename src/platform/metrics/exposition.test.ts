import { expect, test } from 'vitest'
import { Counter } from './counter.ts'
import { exposition, gauge } from './exposition.ts'
import { Histogram } from './histogram.ts'

test('a family has its help, its type and its samples, with what has a meaning escaped', () => {
  const strange = new Counter<'team'>('iris_x_total', 'One \\ line\nand another.')
  strange.add({ team: 'a"b\\c\nd' })
  strange.add({ team: 'plain' }, 2.5)
  strange.add({ team: 'plain' })
  expect(exposition([strange.family, gauge('iris_y', 'Y.', 3)])).toBe(
    [
      '# HELP iris_x_total One \\\\ line\\nand another.',
      '# TYPE iris_x_total counter',
      'iris_x_total{team="a\\"b\\\\c\\nd"} 1',
      'iris_x_total{team="plain"} 3.5',
      '# HELP iris_y Y.',
      '# TYPE iris_y gauge',
      'iris_y 3',
      '',
    ].join('\n'),
  )
})

test('a histogram adds its buckets up, the bound itself included, and ends with all', () => {
  const times = new Histogram<'team'>('iris_t_seconds', 'T.', [0.5, 1])
  for (const seconds of [0.1, 0.5, 0.75, 7]) times.series({ team: 'a' }).observe(seconds)
  expect(exposition([times.family])).toBe(
    [
      '# HELP iris_t_seconds T.',
      '# TYPE iris_t_seconds histogram',
      'iris_t_seconds_bucket{team="a",le="0.5"} 2',
      'iris_t_seconds_bucket{team="a",le="1"} 3',
      'iris_t_seconds_bucket{team="a",le="+Inf"} 4',
      'iris_t_seconds_sum{team="a"} 8.35',
      'iris_t_seconds_count{team="a"} 4',
      '',
    ].join('\n'),
  )
})

test('numbers that are none are said as Prometheus says them', () => {
  const samples = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((value) => ({ value }))
  expect(exposition([gauge('iris_z', 'Z.', samples)]).match(/^iris_z .*$/gm)).toEqual([
    'iris_z NaN',
    'iris_z +Inf',
    'iris_z -Inf',
  ])
})
