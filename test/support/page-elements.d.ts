/**
 * What tests read of elements, in functions that run in the browser. The types of React, which the monitor draws with,
 * declare these names as empty; all of the DOM would make its names pass in the code of the daemon too.
 */
interface Element {
  readonly ownerDocument: { readonly activeElement: Element | null }
  textContent: string
  readonly clientHeight: number
  contains(other: Element | null): boolean
  getAttribute(name: string): string | null
  getBoundingClientRect(): { readonly top: number; readonly bottom: number }
  scrollTo(x: number, y: number): void
}

interface HTMLElement extends Element {
  readonly dataset: Readonly<Record<string, string | undefined>>
  readonly style: { readonly left: string; readonly width: string }
}

interface SVGElement extends Element {
  readonly dataset: Readonly<Record<string, string | undefined>>
  readonly style: { readonly left: string; readonly width: string }
}
