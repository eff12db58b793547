/**
 * What Iris uses of rxjs. The module "rxjs" loads all two hundred files of the library, which the daemon would hold for good
 * (6 MiB) and read at each start (50 ms of processor time).
 */
export { BehaviorSubject } from 'rxjs/internal/BehaviorSubject'
export { Observable } from 'rxjs/internal/Observable'
export { Subject } from 'rxjs/internal/Subject'
