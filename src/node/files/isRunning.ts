import { errorCode } from './errorCode';

/** Whether there is a process of this number, whosever it is. One that its parent has not looked at since it ended counts as there. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH'; // EPERM: it runs, as another user
  }
}
