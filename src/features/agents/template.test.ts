import { describe, expect, test } from 'vitest'
import { TemplateError } from './template-error.ts'
import { renderTemplate } from './template-render.ts'
import { parseTemplate } from './template-tree.ts'

const variables = {
  name: 'shop',
  zero: 0,
  no: false,
  empty: [],
  list: ['a', 'b'],
  packages: { react: '19', zod: '4' },
  rows: [{ id: 1, tags: ['x', 'y'] }, { id: 2 }],
  dependencies: { express: '5' },
  devDependencies: { vitest: '5' },
  html: '<b>"&</b>',
  'with-dash': 'dashed',
}

function render(source: string, given: Readonly<Record<string, unknown>> = variables): string {
  return renderTemplate(parseTemplate(source), given, (name) =>
    name === 'greeting' ? parseTemplate('hello {{name}}') : undefined,
  )
}

function problem(source: string, given?: Readonly<Record<string, unknown>>): string {
  try {
    render(source, given)
  } catch (error) {
    if (error instanceof TemplateError) return error.message
    throw error
  }
  throw new Error('a TemplateError was expected')
}

describe('a template', () => {
  test.each([
    ['a {{name}} b', 'a shop b'],
    ['{{ name }}{{{name}}}{{this.name}}', 'shopshopshop'],
    ['{{html}}', '<b>"&</b>'],
    ['{{unknown}}{{name.length}}{{list.map}}', ''],
    ['{{list}} {{list.1}} {{list.length}}', 'a, b b 2'],
    ['{{packages.zod}} {{rows.0.id}} {{zero}} {{no}} {{with-dash}}', '4 1 0 false dashed'],
    ['{{packages}}', '{"react":"19","zod":"4"}'],
    ['{{"text"}} {{12}}', 'text 12'],
    ['a \\{{name}} b', 'a {{name}} b'],
    ['a{{! a note }}b{{!-- {{name}} --}}c', 'abc'],
    ['a {{~name~}} b', 'ashopb'],
    ['{{> greeting}}', 'hello shop'],
  ])('%j gives %j', (source, text) => {
    expect(render(source)).toBe(text)
  })

  test.each([
    ['{{#if name}}yes{{else}}no{{/if}}', 'yes'],
    ['{{#if empty}}yes{{else}}no{{/if}}', 'no'],
    ['{{#if zero}}yes{{else if list}}list{{else}}no{{/if}}', 'list'],
    ['{{#if zero}}yes{{else if no}}list{{else}}no{{/if}}', 'no'],
    ['{{#unless no}}yes{{else}}no{{/unless}}', 'yes'],
    ['{{#if name}}{{#if no}}a{{else}}b{{/if}}{{else}}c{{/if}}', 'b'],
    ['{{#if (eq name "shop")}}yes{{/if}}', 'yes'],
    ["{{#if (eq name 'other')}}yes{{/if}}", ''],
    ['{{#if (includes list "b")}}yes{{/if}}', 'yes'],
    ['{{#if (includes name "ho")}}yes{{/if}}', 'yes'],
    ['{{#if (includes packages "zod")}}yes{{/if}}', 'yes'],
    ['{{#if (hasPackage "express")}}{{#if (hasPackage "vitest")}}yes{{/if}}{{/if}}', 'yes'],
    ['{{#if (hasPackage "toString")}}yes{{else}}no{{/if}}', 'no'],
    ['{{#if (and name (not no) (or zero list))}}yes{{/if}}', 'yes'],
    ['{{upper name}} {{lower "ABC"}} {{json list}}', 'SHOP abc [\n  "a",\n  "b"\n]'],
  ])('decides: %j gives %j', (source, text) => {
    expect(render(source)).toBe(text)
  })

  test.each([
    ['{{#each list}}{{@index}}{{this}}{{#unless @last}},{{/unless}}{{/each}}', '0a,1b'],
    ['{{#each packages}}{{@key}}={{.}} {{/each}}', 'react=19 zod=4 '],
    ['{{#each empty}}x{{else}}none{{/each}}', 'none'],
    ['{{#each name}}x{{else}}none{{/each}}', 'none'],
    [
      '{{#each rows}}{{id}}{{#each tags}}{{this}}{{../id}}{{../../name}}{{@root.zero}}{{/each}};{{/each}}',
      '1x1shop0y1shop0;2;',
    ],
    ['{{#each list}}{{#if @first}}{{this}}{{name}}{{/if}}{{/each}}', 'a'],
    ['{{@index}}{{../name}}', ''],
  ])('repeats: %j gives %j', (source, text) => {
    expect(render(source)).toBe(text)
  })

  test('a line with nothing but a block tag or a note leaves no line behind', () => {
    const source = 'a\n  {{#if name}}\nb\n{{! note }}\n{{else}}\r\nc\n{{/if}}\nd {{#if no}}\nx\n{{/if}}\n{{name}}\n'
    expect(render(source)).toBe('a\nb\nd shop\n')
    expect(render('{{#each list}}\n- {{this}}\n{{/each}}')).toBe('- a\n- b\n')
  })
})

describe('a template that is wrong', () => {
  test.each([
    ['a\nb {{name', 'line 2: {{ has no }}'],
    ['{{{name}}', 'line 1: {{{ has no }}}'],
    ['{{!-- note }}', 'line 1: {{ has no --}}'],
    ['{{}}', 'line 1: {{}}: there is nothing in it'],
    ['{{#if}}x{{/if}}', 'line 1: {{#if}}: there is nothing in it'],
    ['x\n{{#if name}}\ny', 'line 2: {{#if}} is not closed'],
    ['{{#if name}}\n{{/each}}', 'line 2: {{/each}} is where {{/if}} should be'],
    ['{{/if}}', 'line 1: {{/if}} belongs to no block'],
    ['{{else}}', 'line 1: {{else}} belongs to no block'],
    ['{{#if a}}{{else}}{{else}}{{/if}}', 'line 1: {{#if}} has a second else'],
    ['{{#if a}}{{else unless b}}{{/if}}', 'line 1: {{else unless b}} is neither else nor else if'],
    ['{{#with name}}{{/with}}', 'line 1: there is no block {{#with}}; use if, unless or each'],
    ['{{readFile "x"}}', expect.stringContaining('there is no helper "readFile"; the helpers are eq, not, and, or,')],
    ['{{eq (eq 1 1}}', 'line 1: {{eq (eq 1 1}}: a ( is not closed'],
    ['{{eq 1 1)}}', 'line 1: {{eq 1 1)}}: a ) closes nothing'],
    ['{{"a" name}}', 'line 1: {{"a" name}}: only a helper takes arguments'],
    ['{{eq "a}}', 'line 1: {{eq "a}}: a text in quotes is not closed'],
    ['{{a=b}}', 'line 1: {{a=b}}: "a=b" is not a variable name'],
    ['{{> other}}', 'there is no partial {{> other}}'],
  ])('%j: %s', (source, message) => {
    expect(problem(source)).toEqual(message)
  })
})

describe('a template that means harm', () => {
  test.each([
    '{{constructor}}',
    '{{constructor.constructor}}',
    '{{this.constructor.constructor}}',
    '{{__proto__}}{{__proto__.toString}}',
    '{{name.constructor}}{{list.constructor}}{{list.push}}',
    '{{#each __proto__}}x{{/each}}{{#each constructor}}x{{/each}}',
    '{{@root.constructor}}{{@root.__proto__}}',
    '{{#if (includes packages "constructor")}}x{{/if}}',
  ])('gets nothing of JavaScript with %j', (source) => {
    expect(render(source)).toBe('')
  })

  test('cannot call what it finds', () => {
    expect(problem('{{constructor.constructor "return process"}}')).toContain('there is no helper')
    expect(problem('{{toString 1}}')).toContain('there is no helper "toString"')
    expect(problem('{{lookup this "constructor"}}')).toContain('there is no helper "lookup"')
  })

  const many = {
    list: Array.from({ length: 100 }, String),
    longList: Array.from({ length: 200_000 }, String),
    long: 'a'.repeat(1_000_000),
  }
  const tooMuch = 'it does too much; use fewer or shorter loops, or less text'
  test.each([
    ['loops inside loops', `${'{{#each @root.list}}'.repeat(8)}x${'{{/each}}'.repeat(8)}`],
    ['loops that say nothing', `${'{{#each @root.list}}'.repeat(8)}${'{{/each}}'.repeat(8)}`],
    ['one long loop that says nothing', '{{#each longList}}{{/each}}'],
    ['much text', '{{#each list}}{{@root.long}}{{/each}}'],
    ['much text that is thrown away', '{{#each list}}{{#if (eq "" (upper @root.long))}}x{{/if}}{{/each}}'],
    ['much looking', `{{#each list}}{{#if (includes @root.long "${'a'.repeat(500)}b")}}x{{/if}}{{/each}}`],
  ])('is stopped: %s', (_what, source) => {
    expect(problem(source, many)).toBe(tooMuch)
  })

  test.each([
    ['blocks', '{{#if a}}', '{{/if}}', 'over 30 blocks inside each other'],
    ['else if', '{{#if a}}{{else if a}}', '', 'over 30 blocks inside each other'],
  ])('is refused, not recursed into: thousands of %s', (_what, open, close, message) => {
    expect(problem(open.repeat(5000) + close.repeat(5000))).toContain(message)
  })

  test('is refused with brackets too deep inside each other', () => {
    expect(problem(`{{${'not ('.repeat(5000)}a${')'.repeat(5000)}}}`)).toContain('over 20 brackets inside each other')
  })

  test.each([
    ['names', '{{a}}'],
    ['lines', '\n'],
    ['blanks', ' '],
    ['notes', '{{!-- x --}}'],
    ['escapes', '\\{{'],
    ['blocks', '{{#if a}}x{{/if}}'],
  ])('of 64 KB of %s is read', (_what, piece) => {
    const source = piece.repeat(Math.floor(65_536 / piece.length))
    expect(render(`${source}{{#if name}}end{{/if}}`)).toMatch(/end$/)
  })
})
