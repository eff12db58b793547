/** The result of one check. `warn`: Iris works, but not as well as it could; `fail`: a part of Iris does not work. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'warn' | 'fail'
  readonly detail: string
  /** The fix; absent if there is no problem. */
  readonly remedy?: string
  /** Present if `iris doctor --fix` can apply the fix. */
  readonly canFix?: true
}
