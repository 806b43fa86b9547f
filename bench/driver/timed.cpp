// timed TRAIN TEST SOLVER C TARGET TOLERANCE...
//
// trains one of LIBLINEAR's solvers, 4 of Crammer and Singer's problem, or 3, 1 and 7 of one problem a
// class with the hinge, its square and the logistic loss, with one tolerance after the other until the
// primal objective 1/2 |w|^2 + C sum of losses is at most TARGET, and prints one JSON object a line
// for what it measured. CPU seconds of training are those of the library's train() alone.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <vector>
#include <linear.h>

static double cpu(void)
{
	struct rusage r;
	getrusage(RUSAGE_SELF, &r);
	return r.ru_utime.tv_sec + r.ru_stime.tv_sec + 1e-6 * (r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static double wall(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

// Largest resident size of the process so far, in bytes.
static double peak(void)
{
	char line[256];
	double kilobytes = 0;
	FILE *f = fopen("/proc/self/status", "r");
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "VmHWM: %lf", &kilobytes) == 1)
			break;
	if (f)
		fclose(f);
	return kilobytes * 1024;
}

static void silent(const char *) {}

// Newer versions refuse parameters without this field set, older ones do not have it.
template <class P> static auto regularize(P &p, int) -> decltype(p.regularize_bias, void()) { p.regularize_bias = 1; }
template <class P> static void regularize(P &, long) {}

static struct problem p;
static std::vector<double> labels;
static std::vector<struct feature_node> nodes;
static std::vector<struct feature_node *> rows;

// Reads a file as LIBLINEAR's own train.c does, line by line with strtol and strtod.
static void read(const char *name)
{
	FILE *f = fopen(name, "r");
	if (!f) {
		perror(name);
		exit(1);
	}
	labels.clear();
	nodes.clear();
	rows.clear();
	std::vector<size_t> first;
	char *line = NULL;
	size_t size = 0;
	p.n = 0;
	while (getline(&line, &size, f) > 0) {
		char *at = line, *end;
		labels.push_back(strtod(at, &at));
		first.push_back(nodes.size());
		for (;;) {
			struct feature_node node;
			node.index = strtol(at, &end, 10);
			if (end == at || *end != ':')
				break;
			node.value = strtod(end + 1, &at);
			nodes.push_back(node);
			if (node.index > p.n)
				p.n = node.index;
		}
		struct feature_node last = {-1, 0};
		nodes.push_back(last);
	}
	free(line);
	fclose(f);
	for (size_t i = 0; i < first.size(); i++)
		rows.push_back(&nodes[first[i]]);
	p.l = (int)labels.size();
	p.y = labels.data();
	p.x = rows.data();
	p.bias = -1;
}

// The loss of a class against the others.
static double loss(int solver, double margin)
{
	double hinge = margin < 1 ? 1 - margin : 0;
	switch (solver) {
	case L2R_L1LOSS_SVC_DUAL:
		return hinge;
	case L2R_L2LOSS_SVC_DUAL:
		return hinge * hinge;
	default:
		return margin > 0 ? log1p(exp(-margin)) : log1p(exp(margin)) - margin;
	}
}

static double primal(const struct model *m, double c)
{
	double square = 0, losses = 0;
	for (size_t k = 0; k < (size_t)m->nr_class * m->nr_feature; k++)
		square += m->w[k] * m->w[k];
	std::vector<double> s(m->nr_class);
	for (int i = 0; i < p.l; i++) {
		predict_values(m, p.x[i], s.data());
		if (m->param.solver_type != MCSVM_CS) {
			for (int y = 0; y < m->nr_class; y++)
				losses += loss(m->param.solver_type, m->label[y] == (int)p.y[i] ? s[y] : -s[y]);
			continue;
		}
		double own = 0, worst = 0;
		for (int y = 0; y < m->nr_class; y++)
			if (m->label[y] == (int)p.y[i])
				own = s[y];
		for (int y = 0; y < m->nr_class; y++)
			if (m->label[y] != (int)p.y[i] && 1 + s[y] - own > worst)
				worst = 1 + s[y] - own;
		losses += worst;
	}
	return square / 2 + c * losses;
}

int main(int argc, char **argv)
{
	if (argc < 7) {
		fprintf(stderr, "usage: timed TRAIN TEST SOLVER C TARGET TOLERANCE...\n");
		return 1;
	}
	set_print_string_function(silent);
	struct parameter parameter;
	memset(&parameter, 0, sizeof parameter);
	parameter.solver_type = atoi(argv[3]);
	parameter.C = atof(argv[4]);
	regularize(parameter, 0);
	double target = atof(argv[5]);
	read(argv[1]);
	struct model *m = NULL;
	for (int k = 6; k < argc; k++) {
		if (m)
			free_and_destroy_model(&m);
		parameter.eps = atof(argv[k]);
		const char *wrong = check_parameter(&p, &parameter);
		if (wrong) {
			fprintf(stderr, "timed: %s\n", wrong);
			return 1;
		}
		srand(1);
		double t = wall(), c = cpu();
		m = train(&p, &parameter);
		c = cpu() - c, t = wall() - t;
		double value = primal(m, parameter.C);
		printf("{\"tolerance\":%g,\"training_cpu\":%g,\"training_wall\":%g,\"primal\":%.10g,\"peak\":%.0f}\n", parameter.eps, c, t, value, peak());
		fflush(stdout);
		if (value <= target)
			break;
	}
	read(argv[2]);
	int right = 0;
	double c = cpu();
	for (int i = 0; i < p.l; i++)
		right += predict(m, p.x[i]) == p.y[i];
	printf("{\"accuracy\":%g,\"predicting_cpu\":%g}\n", (double)right / p.l, (cpu() - c) / p.l);
	return 0;
}
