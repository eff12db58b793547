import type { PermissionView } from '../../../base/protocol/permission-view.ts'

/** The events of this feature, by their types. */
export interface PermissionEvents {
  /** A tool waits until a person allows or denies it. */
  readonly 'permission:request': { readonly permission: PermissionView }
  /** A person answered, or the request ended because nothing waits for it any more. */
  readonly 'permission:resolved': { readonly permission: PermissionView }
  readonly 'permission:timeout': { readonly permission: PermissionView }
}

declare module '../../../base/protocol/event.ts' {
  interface EventTypes extends PermissionEvents {}
}
