import { usePage } from "../context";
import { FigureView } from "../figures/figure";
import { countOf } from "../text/format";

export function FiguresPage() {
  const { overview } = usePage();
  const { figures } = overview;
  return (
    <>
      <h1>Figures</h1>
      <p class="lead">
        {figures.length
          ? `${countOf(figures.length, "figure", "figures")}; hover for the numbers, or read each as a table.`
          : "This report has no figures."}
      </p>
      <div class="figures">
        {figures.map((figure, index) => (
          <FigureView key={index} figure={figure} />
        ))}
      </div>
    </>
  );
}
