import { createMemory } from '../../../../src/node/createMemory';
import { errorText } from '../../../../src/core/text/keepitError';
import { FileMemoryStore } from '../../../../src/node/store/fileMemoryStore';
import { RecordingLog } from '../../../unit/support/recordingLog';
import type { Fault, Faulted, FaultHome, FaultRun, Hit } from './faultHome';
import type { FaultStates } from './faultStates';
import { differences, halfDocumentsIn, isLeftover, leftoversIn, stateOf, type HomeState } from './homeState';
import type { Scenario } from './scenarios';

/** How a command goes when nothing fails. */
export interface DryRun {
  readonly run: Faulted;
  readonly before: HomeState;
  readonly after: HomeState;
  /** What was left behind before the command began. */
  readonly leftovers: readonly string[];
  /** Files that hold something else each time. */
  readonly changing: ReadonlySet<string>;
  /** The findings of the doctor, before and after. */
  readonly findings: readonly string[];
}

/** What a kill left that no manifest names lies in the trash; which session was erased last may be noted still. */
const LEFT_BEHIND = /^new: .*\/trash\/[^/]*-left-behind\/|^changed: store\/forgotten\.json$/;

/** What a fault may leave behind. */
interface Left {
  readonly isKilled: boolean;
  readonly mayBeLeft: boolean;
}

/** What a kind of call that removes may leave: nobody can take away what cannot be taken away. */
const REMOVING: ReadonlySet<string> = new Set(['unlink', 'rmdir', 'stat', 'readdir']);

/** What the doctor tells of a set-up, an erase or a clean-up that was cut short, and of a session that is half in the trash. */
const HALF_DONE = /^(?:claude code hooks|claude code plugin|erasing|hook runtime|originals|remembered projects):/;

/** A warning: something is left to do, which the next change of the project does. */
const TO_CLEAR_UP = /needs to be looked over/;

/** Lets one command meet faults, and says what is not as it should be then. */
export class Judge {
  constructor(
    private readonly home: FaultHome,
    private readonly states: FaultStates,
    private readonly scenario: Scenario,
  ) {}

  async dryRun(): Promise<DryRun> {
    await this.states.enter(this.scenario.from);
    const before = await stateOf(this.home.live);
    const leftovers = await leftoversIn(this.home.live);
    const known = await this.findings();
    const first = await this.soundRun();
    if (this.scenario.isMending === true) await this.mendAgain();
    const found = [...known, ...(await this.findings())];
    await this.states.enter(this.scenario.from);
    const second = await this.soundRun();
    const changing = new Set(
      [...first.after.keys()].filter((name) => first.after.get(name) !== second.after.get(name)),
    );
    return { ...second, before, leftovers, changing, findings: [...new Set(found)] };
  }

  private async soundRun(): Promise<{ run: Faulted; after: HomeState }> {
    const run = await this.run({ mode: 'list' });
    if (run.code !== 0) throw new Error(`${this.scenario.name}: ${run.code} ${run.stdout} ${run.stderr}`);
    return { run, after: await stateOf(this.home.live) };
  }

  /** What is wrong, a line for each; nothing when the fault was met as it should be, or not met at all. */
  async meet(fault: Fault, dry: DryRun): Promise<string[]> {
    await this.states.enter(this.scenario.from);
    const run = await this.run(fault);
    return run.hits.length === 0 ? [] : this.judged(run, fault, dry);
  }

  /** The calls before which the home was kept, each leaving what a kill there leaves; those that leave the same as one before them are left out. */
  async keepAll(): Promise<readonly Hit[]> {
    await this.states.enter(this.scenario.from);
    const { hits } = await this.home.runKeeping(this.asked());
    const seen = new Set<string>();
    const different: Hit[] = [];
    for (const hit of hits) {
      const print = await this.home.printOf(hit);
      if (!seen.has(print)) different.push(hit);
      seen.add(print);
    }
    return different;
  }

  /** What is wrong with what a kill before that call leaves. */
  async meetKept(hit: Hit, dry: DryRun): Promise<string[]> {
    await this.home.setToKept(hit);
    const killed: Faulted = { code: null, stdout: '', stderr: '', hits: [hit] };
    return this.judged(killed, { at: hit.n, mode: 'kill' }, dry);
  }

  private async judged(run: Faulted, fault: Fault, dry: DryRun): Promise<string[]> {
    const isKilled = fault.mode === 'kill' || fault.mode === 'tear';
    const half = await halfDocumentsIn(this.home.live);
    if (!isKilled && TO_CLEAR_UP.test(run.stderr)) await this.change();
    const state = new Map([...(await stateOf(this.home.live))].filter(([name]) => !isLeftover(name)));
    const problems = [
      ...(this.scenario.isMending === true ? [] : half.map((one) => `half: ${one}`)),
      ...(isKilled ? [] : this.wrongEnd(run, dry)),
      ...(isKilled ? [] : await this.wrongState(run, fault, state, dry)),
      ...(this.scenario.isMending === true
        ? await this.wrongMending(dry)
        : await this.wrongAfterwards(run, state, dry, { isKilled, mayBeLeft: isKilled || mayLeave(run, fault) })),
    ];
    return problems.length === 0 ? [] : [described(this.scenario, fault, run), ...problems.map((one) => `  ${one}`)];
  }

  private async wrongAfterwards(run: Faulted, state: HomeState, dry: DryRun, left: Left): Promise<string[]> {
    const { mayBeLeft } = left;
    const found = await this.wrongFindings(dry, mayBeLeft);
    // The doctor says what is missing of what was not said to be done; the same again completes it.
    const isHalf = (one: string): boolean => run.code !== 0 && HALF_DONE.test(one);
    const wrong = found.filter((one) => !isHalf(one));
    return [
      ...wrong.map((one) => `doctor: ${one}`),
      ...(await this.wrongAgain(state, dry, { ...left, isHalf: found.some(isHalf) })),
      ...(found.some(isHalf) ? await this.wrongFindings(dry, mayBeLeft) : []).map((one) => `doctor, again: ${one}`),
    ];
  }

  /** Whatever was cut short is mended in the end, and can be read before that. */
  private async wrongMending({ findings }: DryRun): Promise<string[]> {
    const unread = (await this.findings()).filter((one) => one.includes('cannot be read') && !findings.includes(one));
    await this.mendAgain();
    const left = (await this.findings()).filter(
      (one) => !findings.includes(one) && !/^(?:leftovers|damaged files):/.test(one),
    );
    return [...unread, ...left.map((one) => `never mended: ${one}`)];
  }

  private async mendAgain(): Promise<void> {
    for (let n = 0; n < 2; n++) await this.run();
  }

  private async run(fault?: Fault): Promise<Faulted> {
    return this.home.run({ ...this.asked(), fault });
  }

  private asked(): FaultRun {
    const { args, stdin, talk, from } = this.scenario;
    return { args: args(this.states.known(from), this.home), stdin: stdin?.(this.home), talk };
  }

  /** A change that changes nothing of its own. */
  private async change(): Promise<void> {
    const { memoryDir, projectId } = this.home;
    const store = new FileMemoryStore({ dir: memoryDir, clock: { now: () => new Date() }, log: new RecordingLog() });
    await store.emptyTrash(projectId, new Date(0).toISOString());
  }

  private wrongEnd({ code, stdout, stderr }: Faulted, { run }: DryRun): string[] {
    const isHook = this.scenario.name.startsWith('hook ');
    const problems: string[] = [];
    if (code !== 0 && (isHook || code !== 1)) problems.push(`exit code ${code}: ${stderr.slice(0, 1500)}`);
    if (/\n\s+at /.test(stderr)) problems.push(`a stack: ${stderr.slice(0, 1500)}`);
    if (isHook && stderr !== run.stderr) problems.push(`stderr: ${stderr}`);
    const sentences = stderr
      .split('\n')
      .filter((line) => line.startsWith('keepit: ') && !line.startsWith('keepit: warn'));
    const isTold = sentences.length > 0 || /^\{"error":\{"code":"[^"]+","message":"[^"]+/.test(stdout);
    if (code === 1 && !isTold) problems.push(`no sentence: ${stderr}`);
    return problems;
  }

  private async wrongState(run: Faulted, fault: Fault, state: HomeState, dry: DryRun): Promise<string[]> {
    const found = mayLeave(run, fault) ? [] : await leftoversIn(this.home.live);
    const left = found.filter((one) => !dry.leftovers.includes(one)).map((one) => `left behind: ${one}`);
    if (this.scenario.isStepwise === true) return [...left, ...strange(state, dry)];
    const [isOld, isNew] = [differences(state, dry.before), differences(state, dry.after, dry.changing)];
    if (isNew.length === 0) return left;
    if (mayStay(run, fault)) return left;
    if (run.code === 0) return [...left, `said done (${run.stderr.trim()}), and is not:`, ...isNew];
    if (isOld.length === 0) return left;
    return [...left, 'neither old nor new; against old:', ...isOld, 'against new:', ...isNew];
  }

  private async wrongFindings({ findings }: DryRun, mayBeLeft: boolean): Promise<string[]> {
    const found = (await this.findings()).filter((one) => !findings.includes(one));
    return found.filter((one) => !mayBeLeft || !/^(?:locks|leftovers|versions|compositions|manifests):/.test(one));
  }

  /** The same command, without a fault: it does what was not done, and leaves nothing. */
  private async wrongAgain(
    before: HomeState,
    dry: DryRun,
    { isKilled, mayBeLeft, isHalf }: Left & { readonly isHalf: boolean },
  ): Promise<string[]> {
    const isDone = !isHalf && differences(before, dry.after, dry.changing).length === 0;
    if (isDone && !mayBeLeft) return [];
    const run = await this.run();
    const maySayNo = isDone || this.scenario.isStepwise === true || mayBeLeft;
    if (run.code !== 0 && !(run.code === 1 && maySayNo)) return [`the same again: ${run.code} ${run.stderr}`];
    const isPassing = (name: string): boolean => this.mayPass(name, run, { isDone, isKilled });
    await this.change();
    const left = (await leftoversIn(this.home.live)).filter((name) => !mayBeLeft || !isPassing(name));
    const wrong = left.map((one) => `left behind by the same again: ${one}`);
    // Where all but a last note was done before the kill, there is nothing left to ask for.
    const isWhole = isKilled ? run.code === 0 : !mayBeLeft;
    if (isDone || !isWhole || this.scenario.isAskedOnce === true) return wrong;
    return [...wrong, ...(await this.wrongInTheEnd(dry))];
  }

  /** What the same again may leave of what a fault has left. */
  private mayPass(name: string, run: Faulted, { isDone, isKilled }: { isDone: boolean; isKilled: boolean }): boolean {
    const isIdle = run.code === 1 || this.scenario.isAskedOnce === true;
    // Where there was nothing more to do nobody came upon the lock of a dead process.
    if (name.endsWith('.lock')) return isDone || isIdle || name.startsWith('store/cache/');
    // The store is swept in time; what was killed elsewhere goes with the next that is written there.
    return name.endsWith('.tmp') && (!isKilled || isIdle || name.startsWith('store/'));
  }

  private async wrongInTheEnd(dry: DryRun): Promise<string[]> {
    const after = new Map([...(await stateOf(this.home.live))].filter(([name]) => !isLeftover(name)));
    if (this.scenario.isOrdered === true) return strange(after, dry);
    const differing = differences(after, dry.after, dry.changing).filter((one) => !LEFT_BEHIND.test(one));
    return differing.map((one) => `the same again: ${one}`);
  }

  /** What all readers make of the home: none of them may fail. */
  private async findings(): Promise<string[]> {
    const { claudeDir, memoryDir, projectId } = this.home;
    const memory = createMemory({ claudeDir, memoryDir, distDir: this.home.distDir, log: new RecordingLog() });
    try {
      const { service } = memory;
      const checks = await service.upkeep.doctor();
      const problems = checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${withoutTimes(detail)}`);
      const readers: Record<string, () => Promise<unknown>> = {
        sessions: () => service.sessions.list(),
        stats: () => service.upkeep.stats(),
        compositions: () => service.compositions.list(),
        keepits: () => service.keepits.listProjects(projectId),
        facts: () => service.layers.facts(projectId),
      };
      for (const [name, read] of Object.entries(readers)) {
        await read().catch((error: unknown) => problems.push(`${name} cannot be read: ${errorText(error)}`));
      }
      return problems;
    } finally {
      await memory.dispose();
    }
  }
}

/** Files that are there neither before nor after. */
function strange(found: HomeState, { before, after }: DryRun): string[] {
  return [...found.keys()].filter((name) => !before.has(name) && !after.has(name)).map((name) => `strange: ${name}`);
}

/** A lock is looked at before it is taken away. */
function mayLeave(run: Faulted, fault: Fault): boolean {
  const kind = run.hits[0]?.kind ?? '';
  return mayStay(run, fault) || (fault.mode === 'on' && (kind === 'open' || kind === 'read'));
}

/** Nobody can take away what cannot be taken away. The next command does it. */
function mayStay({ hits: [hit] }: Faulted, { mode }: Fault): boolean {
  if (hit === undefined) return false;
  if (mode === 'on') return REMOVING.has(hit.kind);
  return REMOVING.has(hit.kind) && isLeftover(hit.place);
}

function withoutTimes(text: string): string {
  return text.replace(/[0-9a-f]{16}|\d{4}-\d\d-\d\dT[\d:.-]+Z|\d+/g, '#');
}

function described({ name, from }: Scenario, { at = 0, mode, error }: Fault, { code, hits: [hit] }: Faulted): string {
  const where = (hit?.stack ?? '')
    .split('\n')
    .filter((line) => !line.includes('failingFiles') && line.includes(' at '))
    .slice(0, 8);
  return [
    `${name} (${from}), call ${at}, ${mode} ${error ?? ''}, ${hit?.kind} ${hit?.place}: exit ${code}`,
    ...where,
  ].join('\n');
}
