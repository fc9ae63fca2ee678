import { targetAt } from './dragTarget';

/** What is dragged, and where it would go. */
export interface Drag {
  readonly from: number;
  readonly to: number;
}

export interface ReorderOptions {
  /** The rows in their order, as they are drawn now. */
  readonly rows: () => readonly Element[];
  /** While something is dragged, and with undefined when it is let go. */
  readonly onDrag: (drag: Drag | undefined) => void;
  readonly onDrop: (drag: Drag) => void;
}

/** The page is scrolled while the pointer is so near to its edge. */
const EDGE_PX = 48;
const SCROLL_PX = 14;

/** Ordering rows with the mouse, a pen or a finger. Escape lets everything be as it was. */
export class Reorder {
  private drag: Drag | undefined;
  private grip: HTMLElement | undefined;
  private pointerY = 0;
  private frame = 0;

  constructor(private readonly options: ReorderOptions) {}

  /** A grip was pressed. */
  begin(event: PointerEvent, from: number): void {
    if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return;
    const grip = event.currentTarget;
    this.grip = grip;
    this.drag = { from, to: from };
    grip.setPointerCapture(event.pointerId);
    grip.addEventListener('pointermove', this.move);
    grip.addEventListener('pointerup', this.drop, { once: true });
    grip.addEventListener('pointercancel', this.cancel, { once: true });
    window.addEventListener('keydown', this.key, true);
  }

  private readonly move = ({ clientY }: PointerEvent): void => {
    this.pointerY = clientY;
    this.update();
    if (this.frame === 0) this.frame = requestAnimationFrame(this.scroll);
  };

  private readonly scroll = (): void => {
    this.frame = 0;
    if (this.drag === undefined) return;
    const step = this.pointerY < EDGE_PX ? -SCROLL_PX : this.pointerY > window.innerHeight - EDGE_PX ? SCROLL_PX : 0;
    if (step === 0) return;
    window.scrollBy(0, step);
    this.update();
    this.frame = requestAnimationFrame(this.scroll);
  };

  private readonly drop = (): void => {
    const { drag } = this;
    this.end();
    if (drag !== undefined && drag.from !== drag.to) this.options.onDrop(drag);
  };

  private readonly cancel = (): void => this.end();

  private readonly key = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    this.end();
  };

  private update(): void {
    if (this.drag === undefined) return;
    const { from } = this.drag;
    const middles = this.options.rows().map((row) => {
      const { top, height } = row.getBoundingClientRect();
      return top + height / 2;
    });
    this.drag = { from, to: targetAt(middles, from, this.pointerY) };
    this.options.onDrag(this.drag);
  }

  private end(): void {
    const { grip } = this;
    this.drag = undefined;
    this.grip = undefined;
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    grip?.removeEventListener('pointermove', this.move);
    grip?.removeEventListener('pointerup', this.drop);
    grip?.removeEventListener('pointercancel', this.cancel);
    window.removeEventListener('keydown', this.key, true);
    this.options.onDrag(undefined);
  }
}
