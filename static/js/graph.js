// A drawn graph by keyboard: arrows go to the nearest node in that direction, "c" puts the node in focus in the middle.
// Without this file its nodes are links, one after the other.

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
// How much farther a node seems that lies beside the direction and not in it.
const ASIDE = 2;

function middle(node) {
  const box = node.querySelector("rect").getBBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

function nearest(from, [right, down]) {
  const [x, y] = middle(from);
  let best = null;
  let least = Infinity;
  for (const node of from.closest("svg").querySelectorAll(".node")) {
    const [dx, dy] = middle(node).map((place, axis) => place - [x, y][axis]);
    const along = dx * right + dy * down;
    const aside = Math.abs(dx * down) + Math.abs(dy * right);
    const far = along + ASIDE * aside;
    if (node === from || along <= 0 || aside > ASIDE * along || far >= least) continue;
    [best, least] = [node, far];
  }
  return best;
}

document.addEventListener("keydown", (event) => {
  const node = event.target.closest?.(".graph .node");
  if (!node || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const direction = DIRECTIONS[event.key];
  if (direction) {
    event.preventDefault();
    nearest(node, direction)?.focus();
  } else if (event.key === "c" && !node.matches(".plain") && window.htmx) {
    event.preventDefault();
    const target = node.closest("[data-centres]");
    window.htmx.ajax("GET", node.getAttribute("href"), { source: node, event, target, swap: "outerHTML" });
  }
}, { capture: true });

// What is larger than its box is seen from its middle first.
function show(root) {
  for (const pan of root.querySelectorAll(".pan")) {
    const [x, y] = middle(pan.querySelector(".node.centre"));
    pan.scrollTo(x - pan.clientWidth / 2, y - pan.clientHeight / 2);
  }
}

show(document);
document.addEventListener("htmx:afterSettle", ({ target }) => show(target));
