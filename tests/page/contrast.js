// Texts whose contrast with what is behind them is less than WCAG AA asks for.
const parsed = new Map();
const parse = (color) => {
  if (!parsed.has(color)) {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d");
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    parsed.set(color, [...canvas.getImageData(0, 0, 1, 1).data]);
  }
  return parsed.get(color);
};
const luminance = ([red, green, blue]) => {
  const [r, g, b] = [red, green, blue].map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = parse(getComputedStyle(at).backgroundColor);
    if (color[3] === 255) return color;
  }
  return [255, 255, 255, 255];
};
const faint = [];
for (const element of document.querySelectorAll("body *")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!own || !element.checkVisibility() || element.closest(".skip, :disabled")) continue;
  const style = getComputedStyle(element);
  const [light, dark] = [luminance(parse(style.color)), luminance(behind(element))].sort((a, b) => b - a);
  const ratio = (light + 0.05) / (dark + 0.05);
  const isLarge = parseFloat(style.fontSize) >= 24;
  if (ratio < (isLarge ? 3 : 4.5)) faint.push(`${element.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
}
return faint;
