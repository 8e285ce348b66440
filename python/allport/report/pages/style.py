"""The style of pages: light or dark by the system's setting, in a notebook by the notebook's; readable on a phone."""

from __future__ import annotations

import colorsys

__all__ = ["KINDS", "STYLE", "ink"]

# Colours of curves and parts of bars, distinguishable on white and on black and with most colour vision.
KINDS = ("#2f7fd6", "#d9541e", "#159a6b", "#b0478f", "#c98a00", "#4aa8c9", "#7d67cf", "#8a8f1a")
# Colours of further curves.
_MORE = ("#8c5a3c", "#e58fb5", "#5f7f8c", "#b03040", "#4f9a2f", "#a99a7a")


def ink(index: int) -> str:
    """The colour of curve number `index`; all are different."""
    known = KINDS + _MORE
    if index < len(known):
        return known[index]
    turn = (index * 0.618) % 1.0  # the golden ratio: each hue falls into the widest gap
    return "#" + "".join(f"{round(255 * part):02x}" for part in colorsys.hls_to_rgb(turn, 0.5, 0.45 + index % 3 * 0.1))


_DARK = """--paper: #14181d; --ink: #e8ecf0; --soft: #9aa6b2; --line: #3a444f; --card: #1c2229; --blue: #6db6f2;
  --mark: #23384d;"""

STYLE = f"""
.allport {{ --paper: #ffffff; --ink: #1d2733; --soft: #5a6672; --line: #d3dae1; --card: #f4f6f8; --blue: #0068b4;
  --mark: #e2eefa; color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }}
@media (prefers-color-scheme: dark) {{ .allport.page {{ {_DARK} }} }}
[data-jp-theme-light="false"] .allport.cell, .vscode-dark .allport.cell, .vscode-high-contrast .allport.cell,
[theme="dark"] .allport.cell {{ {_DARK} }}
.allport.page {{ color-scheme: light dark; background: var(--paper); margin: 0 auto; max-width: 66rem; padding: 1rem; }}
.allport.cell {{ font-size: 14px; max-width: 60rem; }}
.allport, .allport * {{ box-sizing: border-box; }}
.allport h1 {{ font-size: 1.5rem; line-height: 1.25; margin: 0.4rem 0; }}
.allport h2 {{ font-size: 1.2rem; line-height: 1.3; margin: 0 0 0.5rem; }}
.allport h4 {{ font-size: 1.1em; margin: 0.2rem 0; }}
.allport p {{ margin: 0.4rem 0; max-width: 52rem; }}
.allport .soft, .allport figcaption, .allport caption, .allport .legend {{ color: var(--soft); font-size: 0.88em; }}
.allport a, .allport summary {{ color: var(--blue); }}
.allport nav {{ display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; margin: 0.8rem 0; font-size: 0.92em; }}
.allport section {{ border-top: 1px solid var(--line); margin-top: 1.6rem; padding-top: 1rem; }}
.allport footer {{ border-top: 1px solid var(--line); margin-top: 2rem; padding-top: 0.5rem; }}
.allport .facts {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 0.5rem;
  margin: 0.8rem 0; }}
.allport .facts div {{ background: var(--card); border-radius: 8px; padding: 0.45rem 0.7rem; min-width: 0; }}
.allport dt {{ color: var(--soft); font-size: 0.8em; font-weight: normal; }}
.allport dd {{ margin: 0; font-size: 1.05em; font-variant-numeric: tabular-nums; }}
.allport .scroll {{ overflow-x: auto; margin: 0.6rem 0; }}
.allport table {{ border-collapse: collapse; font-size: 0.88em; color: inherit; margin: 0; }}
.allport .scroll caption {{ min-width: 18rem; }}
.allport caption {{ text-align: left; padding: 0 0 0.3rem; caption-side: top; font-size: 1em; }}
.allport th, .allport td {{ text-align: left; vertical-align: top; padding: 0.3rem 0.6rem;
  border-bottom: 1px solid var(--line); background: none; color: inherit; }}
.allport thead th {{ background: var(--card); white-space: nowrap; }}
.allport tbody th {{ font-weight: normal; }}
.allport .n {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
.allport tr.mark th, .allport tr.mark td {{ background: var(--mark); font-weight: 600; }}
.allport table.bars {{ width: 100%; max-width: 52rem; margin: 0.6rem 0; }}
.allport .bars th {{ width: 30%; }}
.allport .bars td.bar {{ width: 50%; vertical-align: middle; }}
.allport .bar div {{ display: flex; height: 0.9rem; }}
.allport .bar span {{ display: block; height: 100%; min-width: 1px; }}
.allport .legend span {{ display: inline-block; margin-right: 1rem; }}
.allport .legend i {{ display: inline-block; width: 0.8em; height: 0.8em; border-radius: 2px; margin-right: 0.35em; }}
.allport figure {{ margin: 0.8rem 0; }}
.allport svg {{ display: block; height: auto; font-family: system-ui, sans-serif; }}
.allport svg text {{ fill: var(--ink); }}
.allport svg .faint {{ fill: var(--soft); }}
.allport svg .wire {{ stroke: var(--line); fill: none; }}
.allport svg .node {{ fill: var(--paper); stroke: var(--ink); }}
.allport svg .dark {{ fill: var(--ink); stroke: var(--ink); }}
.allport svg .on-dark {{ fill: var(--paper); }}
.allport .white svg text {{ fill: #1d2733; }}
.allport .white svg {{ background: #ffffff; border-radius: 6px; }}
.allport details {{ margin: 0.5rem 0; }}
.allport summary {{ cursor: pointer; padding: 0.2rem 0; }}
.allport .advice {{ padding-left: 1.3rem; margin: 0.4rem 0; max-width: 52rem; }}
.allport .advice li {{ margin: 0.6rem 0; }}
.allport pre {{ background: var(--card); border-radius: 6px; padding: 0.45rem 0.7rem; margin: 0.3rem 0;
  overflow-x: auto; font-size: 0.88em; color: inherit; }}
@media (max-width: 40rem) {{
  .allport.page {{ padding: 0.7rem; }}
  .allport .facts {{ grid-template-columns: repeat(auto-fill, minmax(7.5rem, 1fr)); }}
  .allport .bars th {{ width: 34%; }} .allport .bars td.bar {{ width: 36%; }}
  .allport .bars th, .allport .bars td {{ padding: 0.3rem 0.3rem; }}
}}
@media print {{ .allport nav {{ display: none; }} .allport .scroll {{ overflow: visible; }} }}
"""
