// The key: materials are found by words and by what they are worth, as one types.

const rows = [...document.querySelectorAll("#material-rows tbody tr")];
const bar = document.getElementById("material-filter");
if (bar) begin();

function begin() {
  const [words, worth, count] = ["material-words", "material-worth", "material-count"].map((id) =>
    document.getElementById(id),
  );
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const apply = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, at) => {
      row.hidden = !(
        (!worth.value || row.dataset.worth === worth.value) &&
        wanted.every((word) => texts[at].includes(word))
      );
      shown += row.hidden ? 0 : 1;
    });
    count.textContent = `${shown} of ${rows.length}`;
  };
  words.addEventListener("input", apply);
  worth.addEventListener("change", apply);
  bar.hidden = false;
  apply();
}
